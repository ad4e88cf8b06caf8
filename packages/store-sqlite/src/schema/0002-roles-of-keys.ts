/** The roles a key was made with, as JSON; none for keys that were given their scopes one by one. */
export const rolesOfKeys = 'ALTER TABLE api_keys ADD COLUMN roles TEXT;';
