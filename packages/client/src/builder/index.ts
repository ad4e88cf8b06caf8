/** Builds workflows, agents and tools whose names the compiler checks, and writes them as JSON. */

export { type AgentOptions, agentFiles, defineAgent } from './agent.ts';
export type { AgentDefinition } from './agent-definition.ts';
export type { Condition } from './condition.ts';
export { fromJson } from './from-json.ts';
export type { Approval, Critic, CriticWorker, Gate } from './gate.ts';
export type { ApprovalConfig, NodeConfigs, NodeTypeId } from './node-configs.ts';
export type { Port, Ports } from './ports.ts';
export type { ConvertedSchema, Schema, StandardSchema } from './schema.ts';
export { serveTools } from './serve-tools.ts';
export type { Lead, PlannedDecision, Supervision, WorkerOptions } from './supervise.ts';
export { defineTool, type ToolContext, type ToolDefinition, type ToolOptions, ToolRefusal } from './tool.ts';
export { type ToolServer, toolsFile } from './tools-file.ts';
export type { Validation } from './validate.ts';
export { validateAgent } from './validate.ts';
export type { Declarations, InputsOf, ValuesOf, VariableDeclaration, VariableType } from './variables.ts';
export type { InputMapping, Mappings, OutputMapping, TypedWorkflow, Worker } from './workers.ts';
export { workflow } from './workflow.ts';
export type {
  AgentNodeOptions,
  EdgeOptions,
  NodeOptions,
  SubWorkflowOptions,
  Workflow,
  WorkflowOptions,
} from './workflow-types.ts';
