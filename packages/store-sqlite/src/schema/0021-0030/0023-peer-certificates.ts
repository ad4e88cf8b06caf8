/** How this host and a peer know each other by certificates. Both columns hold JSON. */
export const peerCertificates = `
ALTER TABLE peers ADD COLUMN tls TEXT;
ALTER TABLE peers ADD COLUMN certificates TEXT;
`;
