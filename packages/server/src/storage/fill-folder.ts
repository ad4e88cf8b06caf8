export { fillFolder } from '@baton/store-sqlite';
