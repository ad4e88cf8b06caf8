import type { Extension } from '@baton/server/extension';

/** What the setting `BATON_TEST_SEAMS` loads: an extension of the engine, and one of the host. */

export const engine: Extension['engine'] = async () => (await import('./engine.ts')).CONFORMANCE;
export const host: Extension['host'] = async () => (await import('./host.ts')).openSeams();
