// Licences of the packages that are bundled into the page: out of the packages themselves, so that
// a new version or another package brings its own. A package that has none ends the build.
import {readdir, readFile} from 'node:fs/promises';
import path from 'node:path';

const LICENCE_FILE = /^(licen[cs]e|notice|copying|copyrightnotice)([.-][\w.-]*)?$/i;
const LICENCE_FOLDER = /^licen[cs]es$/i;

/** Names of the packages that a bundle of esbuild holds code of, by its metafile. */
export function packagesOf(metafile) {
  const names = new Set();
  for (const file of Object.keys(metafile.inputs)) {
    const found = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file);
    if (found)
      names.add(found[1]);
  }
  return [...names].sort();
}

async function licenceTexts(folder) {
  const texts = [];
  const entries = await readdir(folder, {withFileTypes: true});
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const place = path.join(folder, entry.name);
    if (entry.isFile() && LICENCE_FILE.test(entry.name)) {
      const text = (await readFile(place, 'utf8')).replaceAll('\r\n', '\n').trim();
      texts.push({file: entry.name, text});
    } else if (entry.isDirectory() && LICENCE_FOLDER.test(entry.name)) {
      texts.push(
          ...(await licenceTexts(place)).map(({file,
                                               text}) => ({file: `${entry.name}/${file}`, text})));
    }
  }
  return texts;
}

/** Name, version, SPDX licence, copyright lines and texts of packages in a node_modules folder. */
export async function licencesOf(modules, names) {
  const found = [];
  for (const name of names) {
    const folder = path.join(modules, name);
    const about = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
    const texts = await licenceTexts(folder);
    if (!about.license || texts.length === 0)
      throw new Error(`the package ${name} says nothing of its licence`);
    const lines = texts.flatMap(({text}) => text.split('\n').map((line) => line.trim()));
    // "[yyyy]": the example in the text of the Apache License.
    const copyright = lines.filter(
        (line) => /^copyright\b.*\d{4}|^copyright \(c\)/i.test(line) && !line.includes('[yyyy]'));
    if (copyright.length === 0)
      throw new Error(`the package ${name} does not say whose it is`);
    found.push({
      name,
      version: about.version,
      licence: about.license,
      copyright: [...new Set(copyright)],
      texts
    });
  }
  return found;
}

export function licenceText(packages) {
  const parts = packages.map(({name, version, licence, texts}) => {
    const title = `${name} ${version} (${licence})`;
    const body = texts.map(({file, text}) => `--- ${file} of ${name}\n\n${text}`).join('\n\n');
    return `${title}\n${'='.repeat(title.length)}\n\n${body}\n`;
  });
  const names = packages.map(({name, version}) => `${name} ${version}`).join(', ');
  return `The page of the report contains code of ${names}. Their licences:\n\n${parts.join('\n')}`;
}

/**
 * Stanzas of a Debian copyright file, to stand behind those of the program itself. Each has its
 * own text, so that a name of a licence stands for one only.
 */
export function debianStanzas(packages) {
  const indented = (text) => text.split('\n').map((line) => ` ${line.trimEnd() || '.'}`).join('\n');
  return packages
      .map(({name, version, licence, copyright, texts}) => {
        const owners = copyright.map((line) => line.replace(/^copyright( \(c\))?\s*/i, ''));
        return `\nFiles: report page in bin/scalesweep (${name} ${version})\n` +
            `Copyright: ${owners.join('\n           ')}\n` +
            `License: ${licence}-${name}\n` +
            `${indented(texts.map(({text}) => text).join('\n\n'))}\n`;
      })
      .join('');
}
