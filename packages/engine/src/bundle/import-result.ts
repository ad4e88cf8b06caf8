/** What the import of a bundle came to. */
export interface ImportResult {
  readonly runId: string;
  /** What it was called where it comes from. */
  readonly from: string;
  readonly runs: number;
  /** Every log led to the link that it came with. */
  readonly verified: boolean;
  /** The known key that signed the bundle. Absent when no known key did. */
  readonly vouchedBy?: string;
}
