import type { Scope } from '@baton/protocol';

/** An OpenID provider with which people sign in, and who of them gets in. */
export interface OidcSettings {
  /** The address of the provider, as its tokens name it. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The first rule that fits a person counts. Somebody whom no rule fits does not get in. */
  readonly rules: readonly OidcRule[];
}

/** People whose claim has this value, or a list with it, use this tenant with the scopes of a role and others. */
export interface OidcRule {
  /** The name of a claim, such as `groups`, or names with points in between, such as `realm_access.roles`. */
  readonly claim: string;
  readonly value: string;
  readonly tenant: string;
  readonly role?: string;
  readonly scopes?: readonly Scope[];
}
