// read_parquet.mjs MODULES FILE: what hyparquet reads of a file, as JSON: rows, the texts of the
// file and those of each column. Numbers of 64 bits are written as numbers, NaN as null.
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';

const [modules, file] = process.argv.slice(2);
const found = createRequire(join(modules, 'package.json')).resolve('hyparquet');
const {asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects} =
    await import(pathToFileURL(found));

const buffer = await asyncBufferFromFile(file);
const metadata = await parquetMetadataAsync(buffer);
const rows = await parquetReadObjects({file: buffer, metadata});
const texts = (pairs) => Object.fromEntries((pairs ?? []).map(({key, value}) => [key, value]));
const columns = {};
for (const {meta_data: column} of metadata.row_groups[0]?.columns ?? []) {
  columns[column.path_in_schema[0]] = texts(column.key_value_metadata);
}
const result = {
  rows,
  texts: texts(metadata.key_value_metadata),
  columns
};
process.stdout.write(
    JSON.stringify(result, (_, value) => (typeof value === 'bigint' ? Number(value) : value)),
);
