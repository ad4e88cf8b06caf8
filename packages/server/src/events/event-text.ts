/** Streams send stored events unchanged. The type of an event is read from its text, without parsing it. */

const TYPE = '"type":"';

/** The type of an event. In the stored text it comes before every value that a workflow can choose. */
export function typeOf(event: string): string {
  const start = event.indexOf(TYPE) + TYPE.length;
  return event.slice(start, event.indexOf('"', start));
}

/** Whether an event of this type ends its run. */
export function endsRun(type: string): boolean {
  return type === 'run.completed' || type === 'run.failed' || type === 'run.cancelled';
}
