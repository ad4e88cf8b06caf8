import { BatonError } from '@baton/protocol';
import {
  type CallToolResult,
  type ElicitResult,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { HostContext } from '../http/context.ts';
import { toBatonError } from '../http/errors.ts';
import type { InterruptClaim, InterruptTokens } from '../interrupts/token.ts';
import { VERSION } from '../version.ts';
import type { McpCall } from './call.ts';
import { type Asking, callWorker, type WorkerCall } from './call-worker.ts';
import { failure } from './results.ts';
import { argumentsOf, runTool, runTools } from './run-tools.ts';
import type { CallsUnderWay } from './under-way.ts';
import { toolName, workersFor, workerTool } from './worker-tools.ts';

/** The tools of a host, for one session (2025) or one request (2026). */

const INSTRUCTIONS =
  'Each published workflow or agent is a tool; its call lasts until the run has ended, and cancelling the call cancels ' +
  'the run. For long work use baton_start, which answers at once with a run id, and then baton_get, baton_answer and ' +
  'baton_cancel. A call with the same _meta["dev.baton/idempotencyKey"] is one run.';

/** The name of the only question in a result that asks for input. */
const QUESTION = 'question';
/** How long a person may take to fill in a form. The run waits longer, and can be answered with `baton_answer`. */
const FORM_MS = 60 * 60 * 1000;

export interface ServerParts {
  readonly host: HostContext;
  readonly states: InterruptTokens;
  readonly underWay: CallsUnderWay;
}

export function mcpServer({ host, states, underWay }: ServerParts): Server {
  const server = new Server(
    { name: 'baton', title: 'Baton', version: VERSION },
    {
      capabilities: { tools: { listChanged: true } },
      debouncedNotificationMethods: ['notifications/tools/list_changed'],
      instructions: INSTRUCTIONS,
      requestState: { verify: (state, context) => claimIn(states, state, callIn(context)) },
    },
  );
  server.setRequestHandler('tools/list', async (_request, context) => {
    try {
      const workers = await workersFor(callIn(context));
      return { tools: [...workers.map(workerTool), ...runTools()] };
    } catch (error) {
      const { code, message } = toldFailure(host, error);
      throw new ProtocolError(ProtocolErrorCode.InternalError, `${code}: ${message}`);
    }
  });
  server.setRequestHandler('tools/call', ({ params }, context) =>
    underWay.during(async (stopped) => {
      const leave = callIn(context).hold?.();
      try {
        return await callTool({ server, states, stopped }, params, context);
      } catch (error) {
        if (error instanceof ProtocolError) throw error;
        const { code, message } = toldFailure(host, error);
        return failure(code, message);
      } finally {
        leave?.();
      }
    }),
  );
  return server;
}

/** The message of a defect is not told. */
function toldFailure({ log }: HostContext, error: unknown): BatonError {
  const known = toBatonError(error);
  if (known.code === 'internal_error' || known.code === 'run_unreadable') {
    log.error({ err: error }, 'a request of MCP failed');
  }
  return known.code === 'internal_error' ? new BatonError('internal_error') : known;
}

/** The call that `serve` has put on the request. */
function callIn({ http }: ServerContext): McpCall {
  const call = http?.authInfo?.extra?.call;
  if (call === undefined) throw new BatonError('unauthenticated');
  return call as McpCall;
}

/** A state of another tenant, or one that this host has not signed, is refused. */
function claimIn(states: InterruptTokens, state: string, { identity }: McpCall): InterruptClaim {
  const claim = states.verify(state);
  if (claim.tenant !== identity.tenant) throw new BatonError('not_found', 'This state is not known.');
  return claim;
}

interface Serving {
  readonly server: Server;
  readonly states: InterruptTokens;
  readonly stopped: AbortSignal;
}

async function callTool(
  { server, states, stopped }: Serving,
  params: { readonly name: string; readonly arguments?: unknown },
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const call = callIn(context);
  const { mcpReq } = context;
  const inputs = argumentsOf(params.arguments);
  const meta = mcpReq._meta;
  const own = runTool(params.name);
  if (own) return own.perform(call, inputs, meta);
  const worker = (await workersFor(call)).find(({ id }) => toolName(id) === params.name);
  if (worker === undefined) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${params.name}".`);
  }
  const claim = mcpReq.requestState<InterruptClaim>();
  const work: WorkerCall = {
    call,
    worker,
    inputs,
    meta,
    cancelled: mcpReq.signal,
    stopped,
    notify: (notification) => mcpReq.notify(notification as never),
    ...(claim && { answered: { ...claim, response: mcpReq.inputResponses?.[QUESTION] } }),
    ...(canFillInForms(server) && { ask: askingOf(call, states, context) }),
  };
  return callWorker(work);
}

/** A client that names no kind of elicitation can fill in forms. */
function canFillInForms(server: Server): boolean {
  const elicitation = server.getClientCapabilities()?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

function askingOf({ era, identity }: McpCall, states: InterruptTokens, { mcpReq }: ServerContext): Asking {
  if (era === '2025') {
    return {
      kind: 'now',
      elicit: (form, signal): Promise<ElicitResult> => mcpReq.elicitInput(form, { signal, timeout: FORM_MS }),
    };
  }
  return {
    kind: 'later',
    result: (form, { runId, interruptId }) =>
      inputRequired({
        inputRequests: { [QUESTION]: inputRequired.elicit(form) },
        requestState: states.sign({ tenant: identity.tenant, runId, interruptId }),
      }),
  };
}
