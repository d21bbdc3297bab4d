// No script runs but the page's own: none in the texts of a study, none that somebody adds.
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';

const PLANTED = 'window.planted = (window.planted ?? 0) + 1';
// What ends an element, a text of a script or an attribute, and runs where it is taken for HTML.
const TEXT = `</title></script><script>${PLANTED}</script><img src=x onerror="${PLANTED}">` +
    `'"><svg onload="${PLANTED}">`;

const planted = (page) => page.evaluate(() => window.planted ?? 0);

/** A report of a study whose title and whose file have scripts in their names. */
export function plantedReport({scalesweep, source, work}) {
  const quick = readFileSync(path.join(source, 'sweeps', 'quick.toml'), 'utf8');
  const spec = path.join(work, 'planted.toml');
  writeFileSync(
      spec,
      quick.replace(/^title .*$/m, `title = '''${TEXT}'''`)
          .replace(/^logic .*$/m, 'logic = ["N7", "N3"]'));
  const study = path.join(work, `<img src=x onerror="planted=1">.h5`);
  scalesweep('run', spec, '-o', study, '--quiet');
  const file = path.join(work, 'planted.html');
  scalesweep('report', study, '-o', file);
  return file;
}

export async function textsAreText(context, {open, file}) {
  const {page, complaints} = await open(context, file);
  assert.equal(await page.title(), TEXT);
  assert.ok((await page.locator('h1').innerText()).includes('<script>'));
  assert.equal(await page.locator('img[src=x], svg[onload]').count(), 0);
  await page.locator('#table-best tbody .point-link').first().click();
  await page.locator('#point-panel').waitFor({state: 'visible'});
  assert.equal(await planted(page), 0);
  assert.deepEqual(complaints, []);
}

/** Scripts in the file beside the page's own, and such as come later. */
export async function policyHolds(context, {open, file}) {
  const changed = file.replace('.html', '-changed.html');
  const html = readFileSync(file, 'utf8');
  const added = `<script>${PLANTED}</script><img src="data:," onerror="${PLANTED}">` +
      '<script src="https://example.org/x.js"></script>';
  writeFileSync(changed, html.replace('</body>', () => `${added}</body>`));
  const {page, complaints} = await open(context, changed);
  await page.evaluate((code) => {
    window.refused = [];
    document.addEventListener(
        'securitypolicyviolation', (event) => window.refused.push(event.effectiveDirective));
    const script = document.createElement('script');
    script.textContent = code;
    document.body.append(script);
    const button = document.createElement('button');
    button.setAttribute('onclick', code);
    document.body.append(button);
    button.click();
    const link = document.createElement('a');
    link.href = `javascript:${code}`;
    document.body.append(link);
    link.click();
    const frame = document.createElement('iframe');
    frame.src = 'data:text/html,x';
    document.body.append(frame);
    return window.fetch('https://example.org/').catch(() => {});
  }, PLANTED);
  const seen = () => page.evaluate(() => new Set(window.refused).size >= 4);
  for (let i = 0; i < 50 && !await seen(); ++i)
    await page.waitForTimeout(50);
  assert.equal(await planted(page), 0);
  const refused = new Set(await page.evaluate(() => window.refused));
  for (const directive of ['script-src-elem', 'script-src-attr', 'frame-src', 'connect-src'])
    assert.ok(refused.has(directive), `${directive} is not refused: ${[...refused]}`);
  const quiet = complaints.filter((one) => !/Content Security Policy|^request for/.test(one));
  assert.deepEqual(quiet, []);
}

/** The policy itself, and the licences of what is in the page. */
export async function policyIsStrict(page) {
  const policy =
      await page.locator('meta[http-equiv=Content-Security-Policy]').getAttribute('content');
  const rules = new Map(policy.split(';').map((rule) => {
    const [name, ...values] = rule.trim().split(/\s+/);
    return [name, values.join(' ')];
  }));
  for (const name of ['default-src', 'base-uri', 'form-action'])
    assert.equal(rules.get(name), '\'none\'', name);
  assert.match(rules.get('script-src'), /^'sha256-[\w+/=]+'$/);
  for (const name of rules.keys())
    assert.doesNotMatch(rules.get(name), /\*|https?:|unsafe-eval|^unsafe-hashes/);
  const licences = await page.locator('details.licences pre').textContent();
  for (const part of ['echarts', 'zrender', 'Apache License', 'Copyright'])
    assert.ok(licences.includes(part), part);
  assert.equal(await page.locator('details.licences[open]').count(), 0);
}
