/** Effects that were offered have a kind and the time of the offer, and no owner until a host claims them. */
export const offeredEffects = `
ALTER TABLE effects ADD COLUMN kind TEXT;
ALTER TABLE effects ADD COLUMN offered_at INTEGER;
CREATE INDEX effects_offered ON effects (offered_at) WHERE offered_at IS NOT NULL;
`;
