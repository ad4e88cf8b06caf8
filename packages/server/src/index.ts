export type { RestateSettings } from '@baton/scheduler-restate';
export { readAuditKey } from './audit/key-file.ts';
export type { Host } from './host.ts';
export { fingerprintsIn, readClientTls } from './peers/tls-files.ts';
export type { OidcRule, OidcSettings } from './sessions/oidc/oidc-settings.ts';
export { DEFAULT_SETTINGS, type HostSettings, locationIn } from './settings.ts';
export { type HostParts, startHost } from './start-host.ts';
export type { TraceSettings } from './traces/trace-settings.ts';
