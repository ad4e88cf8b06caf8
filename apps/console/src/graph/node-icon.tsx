import {
  Bot,
  Box,
  Brain,
  CircleX,
  FileText,
  Globe,
  Hand,
  type LucideIcon,
  MessageCircleQuestionMark,
  Network,
  Rss,
  Send,
  Sparkles,
  Timer,
  UserCheck,
  Variable,
  Workflow,
} from 'lucide-react';

/** By the beginning of the type id; the first that fits counts. */
const ICONS: readonly (readonly [beginning: string, icon: LucideIcon])[] = [
  ['core.orchestrator.', Network],
  ['core.dispatch', Send],
  ['core.agent', Bot],
  ['core.ai.', Sparkles],
  ['core.approvalGate', UserCheck],
  ['core.clarificationGate', MessageCircleQuestionMark],
  ['core.interrupt', Hand],
  ['core.subWorkflow', Workflow],
  ['core.delay', Timer],
  ['core.fail', CircleX],
  ['core.channelWrite', Rss],
  ['vendor.baton.memory.', Brain],
  ['vendor.baton.workspace.', FileText],
  ['vendor.baton.set', Variable],
  ['baton.remote', Globe],
];

/** A small picture of what a node of this type does. The type itself is written beside it. */
export function NodeIcon({ typeId, size = 16 }: { readonly typeId: string; readonly size?: number }) {
  const Icon = ICONS.find(([beginning]) => typeId.startsWith(beginning))?.[1] ?? Box;
  return <Icon size={size} aria-hidden className="shrink-0" />;
}
