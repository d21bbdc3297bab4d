// A headless Chromium with a folder of its own, and what it said and asked for.
import {mkdtemp, rm} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

const QUIET = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
  '--disable-dev-shm-usage'
];

/** Calls `use(context)` in a fresh profile that is gone afterwards. */
export async function withBrowser({modules, chromium}, use) {
  const playwright = await import(
      pathToFileURL(path.join(modules, 'node_modules', 'playwright-core', 'index.mjs')).href);
  const profile = await mkdtemp(path.join(os.tmpdir(), 'scalesweep-browser-'));
  const context = await playwright.chromium.launchPersistentContext(profile, {
    executablePath: chromium,
    headless: true,
    args: QUIET,
    viewport: {width: 1200, height: 900}
  });
  try {
    return await use(context);
  } finally {
    await context.close();
    await rm(profile, {recursive: true, force: true, maxRetries: 5});
  }
}

/** Opens a file; `complaints` collects errors of the page and requests to anything but the file. */
export async function open(context, file, fragment = '') {
  const page = await context.newPage();
  const complaints = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()))
      complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.stack));
  page.on('request', (request) => {
    const url = request.url();
    if (url !== pathToFileURL(file).href && !url.startsWith('data:')) {
      complaints.push(`request for ${url}`);
    }
  });
  await page.goto(pathToFileURL(file).href + fragment);
  await page.waitForSelector('#frontier canvas');
  return {page, complaints};
}
