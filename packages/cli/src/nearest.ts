export { nearest } from '@baton/protocol';
