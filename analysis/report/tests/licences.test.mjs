import assert from 'node:assert/strict';
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {after, test} from 'node:test';

import {debianStanzas, licencesOf, licenceText, packagesOf} from '../licences.mjs';

const modules = mkdtempSync(path.join(os.tmpdir(), 'scalesweep-licences-'));
after(() => rmSync(modules, {recursive: true}));

function put(name, files, about = {
  version: '1.2.3',
  license: 'MIT'
}) {
  const all = {'package.json': JSON.stringify(about), ...files};
  for (const [file, text] of Object.entries(all)) {
    const place = path.join(modules, name, file);
    mkdirSync(path.dirname(place), {recursive: true});
    writeFileSync(place, text);
  }
}

test('packages are those whose files are bundled', () => {
  const inputs = {
    'src/main.js': {},
    '../build/node_modules/charts/lib/index.js': {},
    '../build/node_modules/charts/node_modules/@of/one/x.js': {},
    '../build/node_modules/charts/lib/other.js': {}
  };
  assert.deepEqual(packagesOf({inputs}), ['@of/one', 'charts']);
});

test('texts are those of the package, also of what it took from others', async () => {
  put('charts', {
    'LICENSE': 'Copyright (c) 2020 Some People\r\nDo what you like.\n',
    'licenses/LICENSE-other': 'Copyright 2010-2016 Another\n\nKeep this.',
    'README.md': 'Copyright 1999 Nobody'
  });
  const found = await licencesOf(modules, ['charts']);
  assert.deepEqual(
      found[0].copyright, ['Copyright (c) 2020 Some People', 'Copyright 2010-2016 Another']);
  const text = licenceText(found);
  for (const part of ['charts 1.2.3 (MIT)', 'Do what you like.', 'Keep this.'])
    assert.ok(text.includes(part), part);
  assert.ok(!text.includes('Nobody') && !text.includes('\r'));
  const stanzas = debianStanzas(found);
  assert.match(stanzas, /^Copyright: 2020 Some People\n {11}2010-2016 Another$/m);
  // Lines of a text begin with a blank, empty ones are a dot.
  assert.match(stanzas, /\n Copyright 2010-2016 Another\n \.\n Keep this\.\n$/);
});

test('a package without a licence ends the build', async () => {
  put('bare', {'README.md': 'Free!'});
  await assert.rejects(licencesOf(modules, ['bare']), /bare says nothing of its licence/);
  put('nameless', {'LICENSE': 'Copyright (c) 2020 Some People'}, {version: '1.0.0'});
  await assert.rejects(licencesOf(modules, ['nameless']), /nameless says nothing/);
  put('ownerless', {'LICENSE': 'Do what you like.'});
  await assert.rejects(licencesOf(modules, ['ownerless']), /ownerless does not say whose/);
});
