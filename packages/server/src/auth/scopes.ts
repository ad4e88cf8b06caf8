export { type Access, isScope, SCOPES, type Scope } from '@baton/protocol';
