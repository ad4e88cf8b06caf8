import type { Scope } from '@baton/protocol';

export { isScope, SCOPES, type Scope } from '@baton/protocol';

/** Who may use a route: holders of a scope, or everybody. There is no default. */
export type Access = Scope | 'public';
