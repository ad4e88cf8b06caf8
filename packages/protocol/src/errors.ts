/**
 * The error catalogue: every code that a client can receive, its HTTP status, and whether the same request
 * may succeed later. The message is used only if the code that throws the error gives no message.
 */
export const ERRORS = {
  validation_error: [400, false, 'The request is not valid; see details for the fields to change.'],
  invalid_json: [400, false, 'The body is not valid JSON.'],
  unsupported_stream_mode: [400, false, 'That stream mode is not supported; see details.supported.'],
  webhook_url_rejected: [
    400,
    false,
    'Events are sent only to https addresses of the public internet; for a receiver on a private network, the operator can set BATON_WEBHOOK_PRIVATE=1.',
  ],
  unauthenticated: [401, false, 'Send an API key as "Authorization: Bearer <key>".'],
  forbidden: [403, false, 'This key does not have the scope that this request needs.'],
  not_found: [404, false, 'There is nothing at this address for this key.'],
  subscription_not_found: [404, false, 'The tenant has no webhook with this id.'],
  method_not_allowed: [405, false, 'This address does not take that method.'],
  request_timeout: [408, true, 'The request did not arrive in time; send it again.'],
  run_terminal: [409, false, 'The run has already ended.'],
  run_state_conflict: [409, false, 'The run is not in a state that allows this; see details.runStatus.'],
  interrupt_resolved: [409, false, 'This interrupt has already been resolved.'],
  run_held: [
    409,
    false,
    'The run stopped the engine and is held; an operator can release it, or it can be cancelled.',
  ],
  run_unreadable: [
    409,
    false,
    'The stored log of this run does not lead to a state; `baton verify` names the events that were changed.',
  ],
  run_has_forks: [409, false, 'Other runs share the log of this one; see details.forks.'],
  run_erased: [410, false, 'The data of this run was erased, so the run cannot be continued or forked.'],
  run_purged: [410, false, 'The log of this run is no longer kept.'],
  interrupt_gone: [410, false, 'This interrupt ended with its run or expired.'],
  workspace_conflict: [409, false, 'The file has changed since it was read; see details.currentVersion.'],
  secret_limit_reached: [
    409,
    false,
    'The tenant has as many secrets as this host keeps for one tenant; delete one that is no longer used.',
  ],
  webhook_limit_reached: [
    409,
    false,
    'The tenant has as many webhooks as this host keeps for one tenant; delete one that is no longer used.',
  ],
  webhook_key_conflict: [
    409,
    true,
    'The webhook has as many keys as can sign at once, or its keys were changed meanwhile; wait until the overlap ends, or rotate with overlapSeconds 0.',
  ],
  idempotency_key_mismatch: [409, false, 'This Idempotency-Key was used with a different request.'],
  idempotency_in_flight: [409, true, 'A request with this Idempotency-Key is still being processed.'],
  precondition_failed: [412, false, 'The resource has changed since it was read.'],
  payload_too_large: [413, false, 'The body is larger than this host accepts.'],
  workspace_too_large: [413, false, 'The file is larger than a workspace takes.'],
  unsupported_media_type: [415, false, 'Send the body as application/json.'],
  correlation_mismatch: [422, false, 'The event does not match what the run waits for.'],
  fork_point_not_found: [422, false, 'The run has no event at that index; see details.lastSequence.'],
  replay_memory_snapshot_unavailable: [
    422,
    false,
    'What the run held at that index is no longer kept, so it cannot be forked there.',
  ],
  rate_limited: [429, true, 'Too many requests with this key; wait and try again.'],
  too_many_reads: [
    429,
    true,
    'Too many requests that read or write whole logs are in progress; wait and try again.',
  ],
  too_many_open: [429, true, 'Too many connections or requests are open at once; end some and try again.'],
  internal_error: [500, true, 'Something went wrong in the host; the details are in its log.'],
  overloaded: [503, true, 'The host has more work queued than it accepts; try again shortly.'],
  engine_restarted: [
    503,
    true,
    'The engine was restarted during this request, which may have been carried out; repeat it with the same Idempotency-Key.',
  ],
  store_unavailable: [
    503,
    true,
    'The database of the host cannot be reached, so nothing was recorded; try again shortly.',
  ],
  shutting_down: [503, true, 'The host is stopping; try again when it is back.'],
  tenant_storage_full: [
    507,
    false,
    'The tenant stores as much as this host allows; erase runs or wait for retention, or ask the operator to raise BATON_TENANT_STORAGE.',
  ],
  storage_full: [507, true, 'The disk of the host is full; nothing was recorded.'],
} as const satisfies Record<string, readonly [status: number, retryable: boolean, message: string]>;

export type ErrorCode = keyof typeof ERRORS;

export interface ErrorBody {
  readonly error: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A refusal with a code from the catalogue. The caller receives it unchanged. */
export class BatonError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message?: string, details?: Readonly<Record<string, unknown>>) {
    super(message ?? ERRORS[code][2]);
    this.name = 'BatonError';
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return ERRORS[this.code][0];
  }

  get retryable(): boolean {
    return ERRORS[this.code][1];
  }

  body(): ErrorBody {
    return this.details === undefined
      ? { error: this.code, message: this.message }
      : { error: this.code, message: this.message, details: this.details };
  }
}

/** The error object that events and run snapshots carry. */
export interface RunError {
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Errors that can end a run or a node, with a message for the author of the workflow. */
export const RUN_ERROR_CODES = {
  recursion_limit_exceeded: 'The run executed more nodes than its limit allows.',
  run_timeout: 'The run took longer than its limit allows.',
  loop_limit_exceeded: 'The supervisor took more turns than the limit allows.',
  dispatch_limit_exceeded: 'The dispatch node ran more often than its iterationCap allows.',
  state_too_large: 'The variables, channels and outputs of the run hold more than its limit allows.',
  log_limit_exceeded: 'The log of the run has more events than its limit allows.',
  tree_limit_exceeded: 'The run and its children are more runs at once than the limit allows.',
  effect_limit_exceeded:
    'The node asked for more effects, at once or in all, than one attempt of a node may have.',
  storage_exceeded:
    'The tenant stores as much as this host allows, so the run could not go on; free storage, then retry or branch it.',
  node_timeout: 'The node took longer than its time-out.',
  no_pending_decision: 'The dispatch node found no decision to act on; a supervisor must come before it.',
  fan_out_unsupported: 'The decision names several workers, and this dispatch node refuses fan-out.',
  invalid_decision: 'The supervisor gave a decision that is not of the allowed form.',
  capability_not_provided: 'The node needs a capability that this host does not provide.',
  forbidden: 'The run does not have a scope that the node needs.',
  worker_not_found: 'No workflow is registered under the name of the worker.',
  depth_limit_exceeded: 'Runs are nested deeper than this host allows.',
  cycle_detected: 'The workflow would start itself again through its children.',
  child_failed: 'A child run failed, and the node is set to fail with it.',
  child_cancelled: 'A child run was cancelled, and the node is set to fail with it.',
  peer_unknown: 'No peer with this name is registered; the operator adds it with "baton peers add".',
  peer_unreachable: 'The other host could not be reached, or did not answer in time.',
  peer_unauthorized:
    'The other host does not accept the requests of this host; its operator must add this host.',
  peer_identity_mismatch: 'Another host than the registered one answers at the address of the peer.',
  peer_answer_invalid: 'The other host gave an answer that cannot be read.',
  peer_rejected: 'The other host did not accept the work.',
  remote_run_pending: 'The run on the other host has not ended yet; it is asked again.',
  remote_run_lost: 'The other host no longer knows the run.',
  remote_result_mismatch: 'The result of the run on the other host is not what that host has signed.',
  handoff_lost: 'The message to the other host may have been lost, and a person decided not to repeat it.',
  approval_rejected: 'A person rejected what the node asked to approve.',
  verdict_failed: 'A critic turned down what the child brought.',
  verifier_without_tool:
    'A critic is named for a tool that the agent may not call; correct the name in toolVerifiers, or allow the tool.',
  interrupt_timeout: 'Nobody answered before the time-out.',
  expression_failed: 'An expression could not be evaluated.',
  input_missing: 'A required input has no value.',
  input_invalid: 'An input of the node is not of the form that it needs.',
  envelope_invalid: 'No answer of the model could be read as what the node asked for.',
  envelope_truncation_unrecoverable: 'Every answer of the model was cut off, however much room it was given.',
  envelope_refusal: 'The model refused to answer; it is not asked again.',
  agent_not_found: 'No agent is registered under the id that the node names.',
  handoff_task_schema_violation: "The task does not fit the agent's task schema, so no model was asked.",
  handoff_return_schema_violation: "The result does not fit the agent's return schema.",
  budget_exhausted: 'A budget of the run is used up; raise its limits, or do the work in several runs.',
  budget_model_denied:
    'A budget of the run does not allow this model; choose another one, or change modelAllow and modelDeny.',
  provider_error: 'The provider of the model failed, or could not be reached.',
  provider_busy:
    'The provider of the model has too many requests or is overloaded; the call can be repeated later.',
  provider_interrupted: 'The connection to the provider of the model ended before its answer was complete.',
  provider_timeout: 'The provider of the model sent nothing for longer than the host waits.',
  provider_unavailable:
    'The provider of the model failed several times in a row and is not asked for a while; GET /v1/models shows its state.',
  provider_unauthorized:
    'The provider of the model refused the key of this host; ask the operator to check the key of the provider.',
  provider_key_missing:
    'The host has no key for the provider of the model; ask the operator to set the secret that its configuration names.',
  provider_rejected:
    'The provider of the model refused the request; check the name of the model, its options and the size of the request.',
  tool_not_found: 'No tool with this id is connected to the host.',
  tool_unavailable: 'The tool could not be reached, so it was not called.',
  tool_failed: 'The tool was called and reported a failure.',
  tool_timeout: 'The tool did not answer in time; it may have done its work all the same.',
  tool_outcome_unknown:
    'The connection to the tool was lost during the call; it may have done its work all the same.',
  tool_result_invalid: 'The tool answered with a result that is not of the form that it declares.',
  memory_invalid: 'What a node wants to remember, recall or forget is not of the allowed form.',
  memory_too_large: 'A node wants to remember more than one entry may hold.',
  workspace_too_large: 'A node wants to write more than a file, or the workspace, may hold.',
  event_too_large: 'A node produced more data than one event may hold.',
  run_quarantined: 'The host met a defect in this run and set it aside; the other runs go on.',
  replay_source_missing: 'A replay performs nothing, and its source has no recorded outcome to give.',
  replay_diverged_at_refusal: 'A model refused where the source had an answer, or the reverse.',
  node_failed:
    'The workflow reached a node that makes it fail; the configuration of the node can state a message.',
  conformance_test_failure: 'The node is made to fail.',
} as const satisfies Record<string, string>;

export type RunErrorCode = keyof typeof RUN_ERROR_CODES;

export function runError(code: RunErrorCode, message?: string, details?: RunError['details']): RunError {
  const text = message ?? RUN_ERROR_CODES[code];
  return details === undefined ? { code, message: text } : { code, message: text, details };
}
