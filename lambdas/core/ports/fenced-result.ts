export type FencedResult = { readonly kind: 'done' } | { readonly kind: 'lost-lease' };
