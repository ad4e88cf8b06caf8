import { code, page, table } from './markdown.mjs';

export async function errorPage() {
  const { ERRORS, RUN_ERROR_CODES } = await import('@baton/protocol');
  const intro =
    'An error of the API is `{"error": code, "message": text, "details": {…}}`. "Again" says whether the same ' +
    'request may succeed later. A run that fails has the code in `error.code` of its snapshot.';
  const rows = Object.entries(ERRORS).map(([name, [status, retriable, message]]) => [
    code(name),
    status,
    retriable ? 'yes' : '',
    message,
  ]);
  const runs = Object.entries(RUN_ERROR_CODES).map(([name, message]) => [code(name), message]);
  return page(
    'Error codes',
    intro,
    '## Answers of the API',
    table(['code', 'status', 'again', 'message'], rows),
    '## Failures of runs and nodes',
    table(['code', 'message'], runs),
  );
}
