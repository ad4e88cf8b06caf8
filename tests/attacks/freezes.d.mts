export interface Attack {
  readonly name: string;
  readonly definition: { readonly id: string };
  readonly run?: object;
  readonly outcome:
    | {
        readonly kind: 'refused' | 'not-started' | 'fails';
        readonly code: string;
        readonly words: string;
      }
    | { readonly kind: 'completes' };
}

export declare const FREEZES: readonly Attack[];
