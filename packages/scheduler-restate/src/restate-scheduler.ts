import {
  type Clock,
  EFFECT_POOLS,
  type InvitationAnswer,
  isOfferedKind,
  type Scheduler,
  type SchedulerCalls,
} from '@baton/engine/ports';
import { handedAlarms } from './hand-alarms.ts';
import { registerPool } from './register-pool.ts';
import type { RestateSettings } from './restate-settings.ts';
import { offerSender } from './send-offers.ts';
import { serveInvitations } from './serve-invitations.ts';

/** The second adapter of the scheduler port: Restate chooses the host that performs an effect or rings a deadline. */
interface OpenRestate {
  /** Where the host takes the calls of Restate. */
  readonly port: number;
  /** The effects that Restate does not hand out, and everything that it loses, stay with the scheduler underneath. */
  scheduler(calls: SchedulerCalls, underneath: Scheduler): Scheduler;
}

interface RestateOptions extends RestateSettings {
  /** An offer or a deadline that nobody has taken up for so long is taken up by the sweep. */
  readonly graceMs: number;
  readonly clock: Clock;
  readonly log: (level: 'warn' | 'error', message: string, fields: Record<string, unknown>) => void;
}

/** Resolves when the host listens for Restate. Restate itself need not be there. */
export async function openRestate(options: RestateOptions): Promise<OpenRestate> {
  const { url, listen, perform, identityKey, graceMs, clock, log } = options;
  let calls: SchedulerCalls | undefined;
  const server = await serveInvitations({
    ...{ listen, pools: perform, identityKey },
    invited: async (invitation): Promise<InvitationAnswer> => calls?.invited(invitation) ?? 'elsewhere',
    rung: async (alarm) => calls?.rung(alarm),
    onProblem: (message) => log('error', 'a call of Restate could not be answered', { message }),
  });
  const registration = registering(options);
  const sender = offerSender({
    ...{ url, fetch, now: clock.now, onUnknown: registration.again },
    onState: (takes) =>
      takes
        ? log('warn', 'Restate takes offers again', { url, lost: sender.lost() })
        : log('warn', 'Restate does not take offers; hosts take them up by themselves, later', { url }),
  });
  const alarms = handedAlarms({
    ...{ clock, send: sender.sendAlarm },
    // The deadline is in the store, and the scheduler underneath finds it there.
    ring: (alarm) => void calls?.rung(alarm).catch(() => undefined),
  });
  return {
    port: server.port,
    scheduler(given, underneath) {
      calls = given;
      return {
        ...underneath,
        wake(rootId, at) {
          underneath.wake(rootId, at);
          alarms.set(rootId, at);
        },
        handsOut: {
          kinds: perform.flatMap((pool) => EFFECT_POOLS[pool] ?? []),
          isOffered: isOfferedKind,
          graceMs,
          offer: sender.send,
        },
        stop() {
          underneath.stop();
          alarms.stop();
          registration.stop();
          sender.stop();
          void server.stop();
        },
      };
    },
  };
}

function registering({ adminUrl, endpointUrl, log }: RestateOptions): ReturnType<typeof registerPool> {
  if (adminUrl === undefined || endpointUrl === undefined)
    return { again: () => undefined, stop: () => undefined };
  return registerPool({
    ...{ adminUrl, endpointUrl, fetch },
    later(ms, callback) {
      const timer = setTimeout(callback, ms).unref();
      return () => clearTimeout(timer);
    },
    onRefused: (reason) =>
      log('warn', 'Restate does not take the registration of this host; it is sent again', {
        ...{ adminUrl, endpointUrl, reason },
      }),
  });
}
