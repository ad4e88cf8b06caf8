/** The module with which hosts of tests are extended: what conformance suites need. */
export const EXTENSION = new URL('../packages/conformance/dist/index.js', import.meta.url).href;
