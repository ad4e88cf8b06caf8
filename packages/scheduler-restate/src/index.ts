export { openRestate } from './restate-scheduler.ts';
export type { RestateSettings } from './restate-settings.ts';
