/** A slice that is inconsistent in itself, so that no store can ever keep it. */
export class UnfitSliceError extends Error {
  constructor(problem: string) {
    super(problem);
    this.name = 'UnfitSliceError';
  }
}
