/** How a host uses Restate. */
export interface RestateSettings {
  /** The address at which Restate takes invocations (its ingress). */
  readonly url: string;
  /** Where this host takes the calls of Restate. Port 0 takes any free port. */
  readonly listen: { readonly host: string; readonly port: number };
  /** The pools whose effects this host performs; see `EFFECT_POOLS`. */
  readonly perform: readonly string[];
  /** The address of Restate's admin API. Absent: the operator registers the pool of this host. */
  readonly adminUrl?: string | undefined;
  /** The address at which Restate reaches the pool of this host, normally that of a balancer. */
  readonly endpointUrl?: string | undefined;
  /** Restate signs its calls with the private part of this key. Absent: calls are not checked. */
  readonly identityKey?: string | undefined;
}
