/** Stored events are sent as they are. What a stream needs to know of one is read off its envelope. */

const TYPE = '"type":"';

/** The event's type. The envelope writes it before anything that a workflow could have chosen. */
export function typeOf(event: string): string {
  const start = event.indexOf(TYPE) + TYPE.length;
  return event.slice(start, event.indexOf('"', start));
}

/** The event after which a log has no more. */
export function endsRun(type: string): boolean {
  return type === 'run.completed' || type === 'run.failed' || type === 'run.cancelled';
}
