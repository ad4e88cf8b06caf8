import Type from 'typebox';

/** Files that the agents of a tenant share. Each file keeps its versions. */

export const MAX_FILE_BYTES = 1024 * 1024;
export const MAX_FILES = 10_000;
export const DEFAULT_WORKSPACE = 'default';
export const DEFAULT_CONTENT_TYPE = 'text/markdown';

/** A workspace is a flat list of paths. The host gives `/` no meaning. */
export const WorkspacePath = Type.String({
  minLength: 1,
  maxLength: 256,
  pattern: '^[A-Za-z0-9](?!.*\\.\\.)[A-Za-z0-9._/-]{0,255}$',
});

export const WriteFile = Type.Object(
  { content: Type.String(), contentType: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })) },
  { additionalProperties: false },
);
export type WriteFile = Type.Static<typeof WriteFile>;

const described = {
  path: Type.String(),
  contentType: Type.String(),
  version: Type.Integer({ minimum: 1 }),
  etag: Type.String(),
  updatedAt: Type.String({ format: 'date-time' }),
};

/** A file as lists show it. */
export const WorkspaceFileEntry = Type.Object(described, { additionalProperties: false });
export type WorkspaceFileEntry = Type.Static<typeof WorkspaceFileEntry>;

export const WorkspaceFile = Type.Object(
  { ...described, content: Type.String() },
  { additionalProperties: false },
);
export type WorkspaceFile = Type.Static<typeof WorkspaceFile>;

/** The name of the memory scope that holds a workspace. */
export function workspaceScope(name: string): string {
  return `workspace:${name}`;
}
