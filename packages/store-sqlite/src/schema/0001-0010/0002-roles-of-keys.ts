/** The roles of a key, as JSON. Null for a key that was created with scopes only. */
export const rolesOfKeys = 'ALTER TABLE api_keys ADD COLUMN roles TEXT;';
