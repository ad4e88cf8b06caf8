import type { Browser } from 'playwright-core';

/** Starts the Chromium of the machine, or else the one that was installed with the tests. */
export declare function launchBrowser(): Promise<Browser>;
