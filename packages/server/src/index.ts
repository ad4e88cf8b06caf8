export { SCOPES } from './auth/scopes.ts';
export { type Host, startHost } from './host.ts';
export { DEFAULT_SETTINGS, type HostSettings } from './settings.ts';
