/**
 * The position of an event is the number of its transaction times this number, plus its index among the events of the
 * transaction. No row of `commits` has more events.
 */
export const POSITIONS_OF_COMMIT = 8192;

/** Whether a row of `commits` tells of events. Other rows tell only of changes. */
export const HAS_EVENTS = 'cardinality(commits.run_nos) > 0';
