/** Where spans are sent by OTLP over HTTP. */
export interface TraceSettings {
  /** The whole address, with its path. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Describe this host in every message, for example `service.name`. */
  readonly resource: Readonly<Record<string, string>>;
}
