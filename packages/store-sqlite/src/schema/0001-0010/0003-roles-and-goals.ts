/** For lists of runs, which read no logs: the role of a run in its tree, and whether it reached its goal. */
export const rolesAndGoals = `
ALTER TABLE runs ADD COLUMN role TEXT;
ALTER TABLE runs ADD COLUMN goal_met INTEGER;
`;
