/** Where and how a host listens. */
export interface ListeningSettings {
  readonly host: string;
  readonly port: number;
  /** The certificate with which the host serves https, and its private key. Without them it serves http. */
  readonly tls: TlsFiles | undefined;
}

interface TlsFiles {
  readonly file: string;
  readonly keyFile: string;
}

export const LISTENING_SETTINGS = [
  { name: 'BATON_HOST', value: 'address', unset: '127.0.0.1', meaning: 'address to listen on' },
  { name: 'BATON_PORT', value: 'number', unset: '4747', meaning: 'port to listen on; 0 picks a free one' },
  {
    name: 'BATON_TLS_CERT',
    value: 'file',
    unset: 'http',
    meaning: 'certificate (PEM) with which the host serves https; read at the start',
  },
  {
    name: 'BATON_TLS_KEY',
    value: 'file',
    unset: 'none',
    meaning: 'private key (PEM) of this certificate, readable by its owner only',
  },
] as const;

/** The host reads the files. */
export function readTls(
  given: (name: 'BATON_TLS_CERT' | 'BATON_TLS_KEY') => string | undefined,
  problems: string[],
): TlsFiles | undefined {
  const [file, keyFile] = [given('BATON_TLS_CERT'), given('BATON_TLS_KEY')];
  if (file !== undefined && keyFile !== undefined) return { file, keyFile };
  if (file !== undefined || keyFile !== undefined) {
    problems.push('BATON_TLS_CERT and BATON_TLS_KEY belong together; set both, or neither');
  }
  return undefined;
}
