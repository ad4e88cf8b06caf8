/** The effects that are not settled, each with the host that performs it. */
export const effects = `
CREATE TABLE effects (
  run_no INTEGER NOT NULL REFERENCES runs,
  key TEXT NOT NULL,
  owner TEXT NOT NULL,
  PRIMARY KEY (run_no, key)
) STRICT, WITHOUT ROWID;
`;
