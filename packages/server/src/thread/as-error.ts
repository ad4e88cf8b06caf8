/** What a thread throws arrives as a copy, and the copy of an unknown class is no error any more. */
export function asError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  const { message } = (thrown ?? {}) as { readonly message?: unknown };
  return new Error(
    typeof message === 'string' ? message : `the engine thread threw ${JSON.stringify(thrown)}`,
  );
}
