export const scope: string;
export const profiles: Record<string, string>;
export function settings(schema: unknown): object;
