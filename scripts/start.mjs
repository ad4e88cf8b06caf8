import './node-version.mjs';
import { ensureReady } from './ready.mjs';

await ensureReady();
// It is loaded only now, because it may have been built just before.
await import('./serve-examples.mjs');
