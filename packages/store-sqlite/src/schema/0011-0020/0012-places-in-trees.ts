/**
 * The place of an event in its tree, and how many events of its step follow it. The row of a root has the
 * place of the newest event of its tree, so that a slice which was computed from an older state is refused.
 *
 * Before this migration, places were positions in one order of all events. They also grow within a tree, so
 * older events keep them. All older trees go on after the greatest position of the store: the position up to
 * which an older replay follows its source must stay below the later events of the source.
 */
export const placesInTrees = `
ALTER TABLE events ADD COLUMN place INTEGER NOT NULL DEFAULT 0;
ALTER TABLE events ADD COLUMN step_rest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN places INTEGER;

UPDATE events SET place = pos, step_rest = coalesce(
  (SELECT later.pos - 1 FROM events AS later
   WHERE later.pos > events.pos AND later.starts IS NOT 0 ORDER BY later.pos LIMIT 1),
  (SELECT max(pos) FROM events)) - pos;
UPDATE runs SET places = (SELECT coalesce(max(pos), 0) FROM events) WHERE root_no = run_no;
`;
