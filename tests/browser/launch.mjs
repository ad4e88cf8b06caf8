import { existsSync } from 'node:fs';
import packed from '@sparticuz/chromium';
import { chromium } from 'playwright-core';

const SYSTEM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** With these, a page that fails ends the whole browser. */
const UNWANTED = new Set(['--single-process', '--no-zygote']);

/** Starts the Chromium of the machine, or else the one that was installed with the tests. */
export async function launchBrowser() {
  const found = process.env.BATON_CHROMIUM ?? SYSTEM.find((file) => existsSync(file));
  // The packed one unpacks itself into the temporary folder, once.
  const executablePath = found ?? (await packed.executablePath());
  const args = found === undefined ? packed.args.filter((arg) => !UNWANTED.has(arg)) : ['--no-sandbox'];
  return chromium.launch({ executablePath, args, headless: true });
}
