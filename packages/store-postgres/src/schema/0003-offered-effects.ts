/**
 * Version 3. Effects that were offered have a kind and the time of the offer, and no owner until a host claims them.
 */
export const offeredEffects = `
ALTER TABLE effects ADD COLUMN kind text COLLATE "C";
ALTER TABLE effects ADD COLUMN offered_at bigint;
CREATE INDEX effects_offered ON effects (offered_at) WHERE offered_at IS NOT NULL;
`;
