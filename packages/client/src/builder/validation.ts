/** What the rules of a host say about a definition. */
export type Validation =
  | { readonly valid: true; readonly warnings: readonly string[] }
  | { readonly valid: false; readonly problem: string; readonly field?: string };
