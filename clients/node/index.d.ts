export interface DeleteReason { target: string; code: string; reason: string }
export interface RemoveSpec { columns: string[]; measures: string[]; aggregations: string[]; joins: string[] }
export interface EditModelDelete {
  tool: 'edit_model'; model_name: string; data_source: string; remove: RemoveSpec; remove_filters: string[]; reasons: DeleteReason[];
}
export interface WholeModelDelete { tool: 'delete_model'; model_name: string; data_source: string; reasons: DeleteReason[] }
export type DeleteEntry = EditModelDelete | WholeModelDelete;
export interface ApplyDriftResult {
  applied: { tool: string; model_name: string; data_source: string }[];
  errors: { tool: string; model_name: string; data_source: string; code: string; error: string }[];
  residual: DeleteEntry[];
}
export interface IngestResult {
  additions: { model_name: string; data_source: string; created: boolean; new_columns: string[]; new_joins: string[] }[];
  to_delete: DeleteEntry[];
  errors: { model_name: string; data_source: string; code: string; error: string }[];
}
export interface QueryResult {
  data: Record<string, unknown>[]; columns: string[]; row_count: number; sql: string;
  attributes?: Record<string, { label?: string; format?: unknown }>;
}
export interface Finding {
  code: string; message: string; severity: 'note' | 'warning' | 'error'; hint?: string; file?: string; line?: number; column?: number;
  guard?: string; subject?: { kind?: string; connection?: string; container?: string; name?: string };
  notes?: { text: string; file?: string; line?: number; column?: number }[];
}
export interface CheckResult { guards: Record<string, unknown>[]; findings: Finding[]; errors: Finding[]; exit_code: number }
export interface EngineOptions { program?: string; env?: Record<string, string> }

/** kedge could not do what it was asked. `code` is stable. */
export class KedgeError extends Error {
  readonly code: string;
  readonly exitCode: number;
  readonly document: unknown;
}

/** A query failed because the database has drifted from the models it touches. */
export class SchemaDriftError extends KedgeError {
  readonly models: string[];
  readonly toDelete: DeleteEntry[];
  readonly original: string;
}

/** Runs kedge on one project folder. */
export class Engine {
  constructor(project?: string, options?: EngineOptions);
  validateModels(dataSource?: string, options?: { deep?: boolean }): Promise<DeleteEntry[]>;
  applyDriftDeletes(entries: DeleteEntry[]): Promise<ApplyDriftResult>;
  ingest(dataSource: string, options?: { schemaName?: string; includeTables?: string[]; excludeTables?: string[] }): Promise<IngestResult>;
  query(query: string | object, options?: { variables?: Record<string, unknown>; dataSource?: string; dryRun?: boolean }): Promise<QueryResult>;
  check(options?: { only?: string[]; skip?: string[] }): Promise<CheckResult>;
}

export function programPath(): string;
