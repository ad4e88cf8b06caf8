export type { RestateSettings } from './restate-settings.ts';
export { openRestate } from './restate-scheduler.ts';
