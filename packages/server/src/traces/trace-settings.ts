/** The formats of OTLP over HTTP. */
export const OTLP_PROTOCOLS = ['http/json', 'http/protobuf'] as const;
type OtlpProtocol = (typeof OTLP_PROTOCOLS)[number];

/** Where spans are sent, and how. */
export interface TraceSettings {
  /** The whole address, with its path. */
  readonly url: string;
  readonly protocol: OtlpProtocol;
  readonly headers: Readonly<Record<string, string>>;
  /** Describe this host in every message, for example `service.name`. */
  readonly resource: Readonly<Record<string, string>>;
}
