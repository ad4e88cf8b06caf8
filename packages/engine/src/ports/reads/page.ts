export interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string;
}
