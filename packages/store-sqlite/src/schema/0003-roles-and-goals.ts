/** What a list of runs has to show without reading a log: a run's part in its tree, and whether it gave up. */
export const rolesAndGoals = `
ALTER TABLE runs ADD COLUMN role TEXT;
ALTER TABLE runs ADD COLUMN goal_met INTEGER;
`;
