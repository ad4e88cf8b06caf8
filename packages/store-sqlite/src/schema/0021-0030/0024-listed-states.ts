/** The part of the state of a run that the list of runs shows, as JSON. Null while there is nothing to show. */
export const listedStates = 'ALTER TABLE runs ADD COLUMN listed TEXT;';
