// Written by `npm run generate` from the schema files; do not edit.

export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[];

export type Database = {
  "public": {
    Tables: {
      "account_channel_apps": {
        Row: {
          "account_id": string;
          "channel_app_id": string;
          "company_id": string;
          "id": string;
          "named_at": string;
          "wakes_before": string | null;
        };
        ComputedFields: never;
        Insert: {
          "account_id": string;
          "channel_app_id": string;
          "company_id": string;
          "id"?: string;
          "named_at"?: string;
          "wakes_before"?: string | null;
        };
        Update: {
          "account_id"?: string;
          "channel_app_id"?: string;
          "company_id"?: string;
          "id"?: string;
          "named_at"?: string;
          "wakes_before"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "account_channel_apps_account_fkey";
            columns: ["company_id", "account_id"];
            isOneToOne: false;
            referencedRelation: "messaging_accounts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "account_channel_apps_channel_app_id_fkey";
            columns: ["channel_app_id"];
            isOneToOne: false;
            referencedRelation: "channel_apps";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "account_channel_apps_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "account_connections": {
        Row: {
          "account_id": string;
          "company_id": string;
          "connected_at": string;
          "disconnected_at": string | null;
          "id": string;
          "last_event_at": string | null;
        };
        ComputedFields: never;
        Insert: {
          "account_id": string;
          "company_id": string;
          "connected_at"?: string;
          "disconnected_at"?: string | null;
          "id"?: string;
          "last_event_at"?: string | null;
        };
        Update: {
          "account_id"?: string;
          "company_id"?: string;
          "connected_at"?: string;
          "disconnected_at"?: string | null;
          "id"?: string;
          "last_event_at"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "account_connections_account_fkey";
            columns: ["company_id", "account_id"];
            isOneToOne: false;
            referencedRelation: "messaging_accounts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "account_connections_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "account_health": {
        Row: {
          "account_id": string;
          "checked_at": string;
          "company_id": string;
          "id": string;
          "messaging_limit": string | null;
          "quality_rating": string | null;
          "token_expires_at": string | null;
          "token_stored_at": string;
        };
        ComputedFields: never;
        Insert: {
          "account_id": string;
          "checked_at"?: string;
          "company_id": string;
          "id"?: string;
          "messaging_limit"?: string | null;
          "quality_rating"?: string | null;
          "token_expires_at"?: string | null;
          "token_stored_at"?: string;
        };
        Update: {
          "account_id"?: string;
          "checked_at"?: string;
          "company_id"?: string;
          "id"?: string;
          "messaging_limit"?: string | null;
          "quality_rating"?: string | null;
          "token_expires_at"?: string | null;
          "token_stored_at"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "account_health_account_fkey";
            columns: ["company_id", "account_id"];
            isOneToOne: true;
            referencedRelation: "messaging_accounts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "account_health_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "account_notices": {
        Row: {
          "account_id": string;
          "company_id": string;
          "end_noted_for": string | null;
          "event": string;
          "happened_at": string;
          "id": string;
          "kind": string;
          "received_at": string;
          "stopped_sends": number;
          "stops_sending": boolean;
          "until": string | null;
          "value": NonNullable<Json>;
        };
        ComputedFields: never;
        Insert: {
          "account_id": string;
          "company_id": string;
          "end_noted_for"?: string | null;
          "event": string;
          "happened_at": string;
          "id"?: string;
          "kind": string;
          "received_at"?: string;
          "stopped_sends"?: number;
          "stops_sending"?: boolean;
          "until"?: string | null;
          "value": NonNullable<Json>;
        };
        Update: {
          "account_id"?: string;
          "company_id"?: string;
          "end_noted_for"?: string | null;
          "event"?: string;
          "happened_at"?: string;
          "id"?: string;
          "kind"?: string;
          "received_at"?: string;
          "stopped_sends"?: number;
          "stops_sending"?: boolean;
          "until"?: string | null;
          "value"?: NonNullable<Json>;
        };
        Relationships: [
          {
            foreignKeyName: "account_notices_account_fkey";
            columns: ["company_id", "account_id"];
            isOneToOne: false;
            referencedRelation: "messaging_accounts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "account_notices_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "api_key_errors": {
        Row: {
          "code": string;
          "company_id": string;
          "errors": number;
          "field": string | null;
          "first_at": string;
          "id": string;
          "key_id": string;
          "last_at": string;
          "method": string;
          "operation": string | null;
          "path": string | null;
          "problem": string;
          "requests": NonNullable<Json>;
          "status": number;
        };
        ComputedFields: never;
        Insert: {
          "code": string;
          "company_id": string;
          "errors": number;
          "field"?: string | null;
          "first_at": string;
          "id"?: string;
          "key_id": string;
          "last_at": string;
          "method": string;
          "operation"?: string | null;
          "path"?: string | null;
          "problem": string;
          "requests": NonNullable<Json>;
          "status": number;
        };
        Update: {
          "code"?: string;
          "company_id"?: string;
          "errors"?: number;
          "field"?: string | null;
          "first_at"?: string;
          "id"?: string;
          "key_id"?: string;
          "last_at"?: string;
          "method"?: string;
          "operation"?: string | null;
          "path"?: string | null;
          "problem"?: string;
          "requests"?: NonNullable<Json>;
          "status"?: number;
        };
        Relationships: [
          {
            foreignKeyName: "api_key_errors_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "api_key_errors_key_fkey";
            columns: ["company_id", "key_id"];
            isOneToOne: false;
            referencedRelation: "api_keys";
            referencedColumns: ["company_id", "id"];
          },
        ];
      };
      "api_key_usage": {
        Row: {
          "company_id": string;
          "hour": string;
          "key_id": string;
          "requests": number;
          "status": number;
        };
        ComputedFields: never;
        Insert: {
          "company_id": string;
          "hour": string;
          "key_id": string;
          "requests": number;
          "status": number;
        };
        Update: {
          "company_id"?: string;
          "hour"?: string;
          "key_id"?: string;
          "requests"?: number;
          "status"?: number;
        };
        Relationships: [
          {
            foreignKeyName: "api_key_usage_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "api_key_usage_key_fkey";
            columns: ["company_id", "key_id"];
            isOneToOne: false;
            referencedRelation: "api_keys";
            referencedColumns: ["company_id", "id"];
          },
        ];
      };
      "api_keys": {
        Row: {
          "company_id": string;
          "created_at": string;
          "created_by": string | null;
          "expires_at": string | null;
          "hint": string;
          "id": string;
          "is_active": boolean;
          "key_hash": string;
          "last_used_at": string | null;
          "meant_to_expire_at": string | null;
          "name": string;
          "replaced_at": string | null;
          "replaces": string | null;
          "scopes": (string)[];
          "updated_at": string;
        };
        ComputedFields: never;
        Insert: {
          "company_id": string;
          "created_at"?: string;
          "created_by"?: string | null;
          "expires_at"?: string | null;
          "hint": string;
          "id"?: string;
          "is_active"?: boolean;
          "key_hash": string;
          "last_used_at"?: string | null;
          "meant_to_expire_at"?: string | null;
          "name": string;
          "replaced_at"?: string | null;
          "replaces"?: string | null;
          "scopes": (string)[];
          "updated_at"?: string;
        };
        Update: {
          "company_id"?: string;
          "created_at"?: string;
          "created_by"?: string | null;
          "expires_at"?: string | null;
          "hint"?: string;
          "id"?: string;
          "is_active"?: boolean;
          "key_hash"?: string;
          "last_used_at"?: string | null;
          "meant_to_expire_at"?: string | null;
          "name"?: string;
          "replaced_at"?: string | null;
          "replaces"?: string | null;
          "scopes"?: (string)[];
          "updated_at"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "api_keys_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "api_keys_replaces_fkey";
            columns: ["company_id", "replaces"];
            isOneToOne: true;
            referencedRelation: "api_keys";
            referencedColumns: ["company_id", "id"];
          },
        ];
      };
      "channel_apps": {
        Row: {
          "app_key": string;
          "created_at": string;
          "id": string;
          "name": string;
          "owner_company_id": string | null;
          "rotation_began_at": string | null;
          "sealed_previous_secret": string | null;
          "sealed_secret": string;
          "sealed_verify_token": string;
          "updated_at": string;
        };
        ComputedFields: never;
        Insert: {
          "app_key": string;
          "created_at"?: string;
          "id"?: string;
          "name": string;
          "owner_company_id"?: string | null;
          "rotation_began_at"?: string | null;
          "sealed_previous_secret"?: string | null;
          "sealed_secret": string;
          "sealed_verify_token": string;
          "updated_at"?: string;
        };
        Update: {
          "app_key"?: string;
          "created_at"?: string;
          "id"?: string;
          "name"?: string;
          "owner_company_id"?: string | null;
          "rotation_began_at"?: string | null;
          "sealed_previous_secret"?: string | null;
          "sealed_secret"?: string;
          "sealed_verify_token"?: string;
          "updated_at"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "channel_apps_owner_company_id_fkey";
            columns: ["owner_company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "channel_events": {
        Row: {
          "attempts": number;
          "body": string;
          "body_sha256": string;
          "channel_app_id": string;
          "error": string | null;
          "id": string;
          "next_attempt_at": string | null;
          "notes": (string)[];
          "person_marks": (number)[] | null;
          "processed_at": string | null;
          "received_at": string;
          "state": string;
          "waits_for": (string)[];
        };
        ComputedFields: never;
        Insert: {
          "attempts"?: number;
          "body": string;
          "body_sha256": string;
          "channel_app_id": string;
          "error"?: string | null;
          "id"?: string;
          "next_attempt_at"?: string | null;
          "notes"?: (string)[];
          "person_marks"?: (number)[] | null;
          "processed_at"?: string | null;
          "received_at"?: string;
          "state"?: string;
          "waits_for"?: (string)[];
        };
        Update: {
          "attempts"?: number;
          "body"?: string;
          "body_sha256"?: string;
          "channel_app_id"?: string;
          "error"?: string | null;
          "id"?: string;
          "next_attempt_at"?: string | null;
          "notes"?: (string)[];
          "person_marks"?: (number)[] | null;
          "processed_at"?: string | null;
          "received_at"?: string;
          "state"?: string;
          "waits_for"?: (string)[];
        };
        Relationships: [
          {
            foreignKeyName: "channel_events_channel_app_id_fkey";
            columns: ["channel_app_id"];
            isOneToOne: false;
            referencedRelation: "channel_apps";
            referencedColumns: ["id"];
          },
        ];
      };
      "channel_jobs": {
        Row: {
          "began_at": string | null;
          "called_at": string | null;
          "ended_at": string | null;
          "failure": string | null;
          "job": string;
          "request_id": number | null;
          "result": Json | null;
        };
        ComputedFields: never;
        Insert: {
          "began_at"?: string | null;
          "called_at"?: string | null;
          "ended_at"?: string | null;
          "failure"?: string | null;
          "job": string;
          "request_id"?: number | null;
          "result"?: Json | null;
        };
        Update: {
          "began_at"?: string | null;
          "called_at"?: string | null;
          "ended_at"?: string | null;
          "failure"?: string | null;
          "job"?: string;
          "request_id"?: number | null;
          "result"?: Json | null;
        };
        Relationships: [];
      };
      "companies": {
        Row: {
          "created_at": string;
          "id": string;
          "managers_need_second_factor": boolean;
          "members_found_by_email": boolean;
          "name": string;
          "updated_at": string;
        };
        ComputedFields: never;
        Insert: {
          "created_at"?: string;
          "id"?: string;
          "managers_need_second_factor"?: boolean;
          "members_found_by_email"?: boolean;
          "name": string;
          "updated_at"?: string;
        };
        Update: {
          "created_at"?: string;
          "id"?: string;
          "managers_need_second_factor"?: boolean;
          "members_found_by_email"?: boolean;
          "name"?: string;
          "updated_at"?: string;
        };
        Relationships: [];
      };
      "company_events": {
        Row: {
          "account_id": string | null;
          "account_name": string | null;
          "action": string;
          "actor_id": string | null;
          "actor_kind": string;
          "actor_name": string | null;
          "client_address": unknown;
          "company_id": string;
          "created_at": string;
          "details": NonNullable<Json>;
          "id": string;
          "invited_email": string | null;
          "key_hint": string | null;
          "key_id": string | null;
          "key_name": string | null;
          "member_id": string | null;
          "member_name": string | null;
          "webhook_address": string | null;
          "webhook_id": string | null;
        };
        ComputedFields: never;
        Insert: {
          "account_id"?: string | null;
          "account_name"?: string | null;
          "action": string;
          "actor_id"?: string | null;
          "actor_kind": string;
          "actor_name"?: string | null;
          "client_address"?: unknown;
          "company_id": string;
          "created_at"?: string;
          "details"?: NonNullable<Json>;
          "id"?: string;
          "invited_email"?: string | null;
          "key_hint"?: string | null;
          "key_id"?: string | null;
          "key_name"?: string | null;
          "member_id"?: string | null;
          "member_name"?: string | null;
          "webhook_address"?: string | null;
          "webhook_id"?: string | null;
        };
        Update: {
          "account_id"?: string | null;
          "account_name"?: string | null;
          "action"?: string;
          "actor_id"?: string | null;
          "actor_kind"?: string;
          "actor_name"?: string | null;
          "client_address"?: unknown;
          "company_id"?: string;
          "created_at"?: string;
          "details"?: NonNullable<Json>;
          "id"?: string;
          "invited_email"?: string | null;
          "key_hint"?: string | null;
          "key_id"?: string | null;
          "key_name"?: string | null;
          "member_id"?: string | null;
          "member_name"?: string | null;
          "webhook_address"?: string | null;
          "webhook_id"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "company_events_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "company_invitations": {
        Row: {
          "company_id": string;
          "created_at": string;
          "email": string;
          "expires_at": string;
          "id": string;
          "invited_by": string;
          "mail_failed": boolean;
          "mailed_at": string | null;
          "role": string;
        };
        ComputedFields: never;
        Insert: {
          "company_id": string;
          "created_at"?: string;
          "email": string;
          "expires_at"?: string;
          "id"?: string;
          "invited_by": string;
          "mail_failed"?: boolean;
          "mailed_at"?: string | null;
          "role": string;
        };
        Update: {
          "company_id"?: string;
          "created_at"?: string;
          "email"?: string;
          "expires_at"?: string;
          "id"?: string;
          "invited_by"?: string;
          "mail_failed"?: boolean;
          "mailed_at"?: string | null;
          "role"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "company_invitations_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "company_members": {
        Row: {
          "company_id": string;
          "created_at": string;
          "name": string | null;
          "role": string;
          "updated_at": string;
          "user_id": string;
          "version": number;
        };
        ComputedFields: never;
        Insert: {
          "company_id": string;
          "created_at"?: string;
          "name"?: string | null;
          "role"?: string;
          "updated_at"?: string;
          "user_id": string;
          "version"?: number;
        };
        Update: {
          "company_id"?: string;
          "created_at"?: string;
          "name"?: string | null;
          "role"?: string;
          "updated_at"?: string;
          "user_id"?: string;
          "version"?: number;
        };
        Relationships: [
          {
            foreignKeyName: "company_members_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "contact_former_phones": {
        Row: {
          "archived_phone_key": string | null;
          "company_id": string;
          "contact_id": string;
          "id": string;
          "is_archived": boolean;
          "phone": string;
          "phone_key": string | null;
          "until": string;
        };
        ComputedFields: never;
        Insert: {
          "archived_phone_key"?: never;
          "company_id": string;
          "contact_id": string;
          "id"?: string;
          "is_archived"?: boolean;
          "phone": string;
          "phone_key"?: never;
          "until": string;
        };
        Update: {
          "archived_phone_key"?: never;
          "company_id"?: string;
          "contact_id"?: string;
          "id"?: string;
          "is_archived"?: boolean;
          "phone"?: string;
          "phone_key"?: never;
          "until"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "contact_former_phones_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "contact_former_phones_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_former_phones_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contact_wishes";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_former_phones_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_former_phones_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_plain_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_former_phones_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_searched_contacts";
            referencedColumns: ["company_id", "id"];
          },
        ];
      };
      "contact_identities": {
        Row: {
          "archived_user_id": string | null;
          "business_account_id": string | null;
          "company_id": string;
          "contact_id": string;
          "id": string;
          "seen_at": string;
          "user_id": string | null;
        };
        ComputedFields: never;
        Insert: {
          "archived_user_id"?: string | null;
          "business_account_id"?: string | null;
          "company_id": string;
          "contact_id": string;
          "id"?: string;
          "seen_at"?: string;
          "user_id"?: string | null;
        };
        Update: {
          "archived_user_id"?: string | null;
          "business_account_id"?: string | null;
          "company_id"?: string;
          "contact_id"?: string;
          "id"?: string;
          "seen_at"?: string;
          "user_id"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "contact_identities_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "contact_identities_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_identities_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contact_wishes";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_identities_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_identities_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_plain_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_identities_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_searched_contacts";
            referencedColumns: ["company_id", "id"];
          },
        ];
      };
      "contact_identity_events": {
        Row: {
          "becomes": string | null;
          "company_id": string;
          "contact_id": string;
          "happened_at": string;
          "id": string;
          "kind": string;
          "was": string | null;
        };
        ComputedFields: never;
        Insert: {
          "becomes"?: string | null;
          "company_id": string;
          "contact_id": string;
          "happened_at": string;
          "id"?: string;
          "kind": string;
          "was"?: string | null;
        };
        Update: {
          "becomes"?: string | null;
          "company_id"?: string;
          "contact_id"?: string;
          "happened_at"?: string;
          "id"?: string;
          "kind"?: string;
          "was"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "contact_identity_events_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "contact_identity_events_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_identity_events_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contact_wishes";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_identity_events_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_identity_events_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_plain_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_identity_events_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_searched_contacts";
            referencedColumns: ["company_id", "id"];
          },
        ];
      };
      "contact_windows": {
        Row: {
          "account_id": string;
          "closed_at": string | null;
          "closing_noted_for": string | null;
          "company_id": string;
          "contact_id": string;
          "expires_at": string | null;
          "id": string;
          "last_inbound_at": string | null;
          "last_inbound_phone": string | null;
        };
        ComputedFields: never;
        Insert: {
          "account_id": string;
          "closed_at"?: string | null;
          "closing_noted_for"?: string | null;
          "company_id": string;
          "contact_id": string;
          "expires_at"?: never;
          "id"?: string;
          "last_inbound_at"?: string | null;
          "last_inbound_phone"?: string | null;
        };
        Update: {
          "account_id"?: string;
          "closed_at"?: string | null;
          "closing_noted_for"?: string | null;
          "company_id"?: string;
          "contact_id"?: string;
          "expires_at"?: never;
          "id"?: string;
          "last_inbound_at"?: string | null;
          "last_inbound_phone"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "contact_windows_account_fkey";
            columns: ["company_id", "account_id"];
            isOneToOne: false;
            referencedRelation: "messaging_accounts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_windows_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "contact_windows_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_windows_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contact_wishes";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_windows_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_windows_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_plain_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_windows_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_searched_contacts";
            referencedColumns: ["company_id", "id"];
          },
        ];
      };
      "contacts": {
        Row: {
          "archived_at": string | null;
          "archived_phone_key": string | null;
          "company_id": string;
          "created_at": string;
          "custom_fields": NonNullable<Json>;
          "do_not_contact": boolean;
          "do_not_contact_at": string | null;
          "do_not_contact_source": string | null;
          "email": string | null;
          "email_key": string | null;
          "email_words": string | null;
          "empresa": string | null;
          "empresa_words": string | null;
          "erased_at": string | null;
          "external_id": string | null;
          "has_identity": boolean;
          "id": string;
          "is_active": boolean;
          "job_title": string | null;
          "job_title_words": string | null;
          "marketing_opt_out": boolean;
          "marketing_opt_out_at": string | null;
          "marketing_opt_out_source": string | null;
          "marketing_resumed_at": string | null;
          "marketing_stop_source": string | null;
          "marketing_stopped_at": string | null;
          "name": string | null;
          "name_words": string | null;
          "patch": Json | null;
          "phone": string | null;
          "phone_key": string | null;
          "profile_name_at": string | null;
          "source": string;
          "start_word_at": string | null;
          "stop_word_at": string | null;
          "tags": (string)[];
          "temperature": string;
          "updated_at": string;
          "version": number;
        };
        ComputedFields: never;
        Insert: {
          "archived_at"?: string | null;
          "archived_phone_key"?: never;
          "company_id"?: string;
          "created_at"?: string;
          "custom_fields"?: NonNullable<Json>;
          "do_not_contact"?: boolean;
          "do_not_contact_at"?: string | null;
          "do_not_contact_source"?: string | null;
          "email"?: string | null;
          "email_key"?: never;
          "email_words"?: never;
          "empresa"?: string | null;
          "empresa_words"?: never;
          "erased_at"?: string | null;
          "external_id"?: string | null;
          "has_identity"?: boolean;
          "id"?: string;
          "is_active"?: boolean;
          "job_title"?: string | null;
          "job_title_words"?: never;
          "marketing_opt_out"?: boolean;
          "marketing_opt_out_at"?: never;
          "marketing_opt_out_source"?: never;
          "marketing_resumed_at"?: string | null;
          "marketing_stop_source"?: string | null;
          "marketing_stopped_at"?: string | null;
          "name"?: string | null;
          "name_words"?: never;
          "patch"?: Json | null;
          "phone"?: string | null;
          "phone_key"?: never;
          "profile_name_at"?: string | null;
          "source"?: string;
          "start_word_at"?: string | null;
          "stop_word_at"?: string | null;
          "tags"?: (string)[];
          "temperature"?: string;
          "updated_at"?: string;
          "version"?: number;
        };
        Update: {
          "archived_at"?: string | null;
          "archived_phone_key"?: never;
          "company_id"?: string;
          "created_at"?: string;
          "custom_fields"?: NonNullable<Json>;
          "do_not_contact"?: boolean;
          "do_not_contact_at"?: string | null;
          "do_not_contact_source"?: string | null;
          "email"?: string | null;
          "email_key"?: never;
          "email_words"?: never;
          "empresa"?: string | null;
          "empresa_words"?: never;
          "erased_at"?: string | null;
          "external_id"?: string | null;
          "has_identity"?: boolean;
          "id"?: string;
          "is_active"?: boolean;
          "job_title"?: string | null;
          "job_title_words"?: never;
          "marketing_opt_out"?: boolean;
          "marketing_opt_out_at"?: never;
          "marketing_opt_out_source"?: never;
          "marketing_resumed_at"?: string | null;
          "marketing_stop_source"?: string | null;
          "marketing_stopped_at"?: string | null;
          "name"?: string | null;
          "name_words"?: never;
          "patch"?: Json | null;
          "phone"?: string | null;
          "phone_key"?: never;
          "profile_name_at"?: string | null;
          "source"?: string;
          "start_word_at"?: string | null;
          "stop_word_at"?: string | null;
          "tags"?: (string)[];
          "temperature"?: string;
          "updated_at"?: string;
          "version"?: number;
        };
        Relationships: [
          {
            foreignKeyName: "contacts_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "conversations": {
        Row: {
          "assigned_to": string | null;
          "company_id": string;
          "contact_id": string;
          "created_at": string;
          "id": string;
          "last_message_at": string | null;
          "messaging_account_id": string;
          "phone_number_id": string;
          "status": string;
          "team_id": string | null;
          "updated_at": string;
          "version": number;
          "window_expires_at": string | null;
        };
        ComputedFields: never;
        Insert: {
          "assigned_to"?: string | null;
          "company_id"?: string;
          "contact_id": string;
          "created_at"?: string;
          "id"?: string;
          "last_message_at"?: string | null;
          "messaging_account_id": string;
          "phone_number_id": string;
          "status"?: string;
          "team_id"?: string | null;
          "updated_at"?: string;
          "version"?: number;
          "window_expires_at"?: string | null;
        };
        Update: {
          "assigned_to"?: string | null;
          "company_id"?: string;
          "contact_id"?: string;
          "created_at"?: string;
          "id"?: string;
          "last_message_at"?: string | null;
          "messaging_account_id"?: string;
          "phone_number_id"?: string;
          "status"?: string;
          "team_id"?: string | null;
          "updated_at"?: string;
          "version"?: number;
          "window_expires_at"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "conversations_assignee_fkey";
            columns: ["company_id", "assigned_to"];
            isOneToOne: false;
            referencedRelation: "company_members";
            referencedColumns: ["company_id", "user_id"];
          },
          {
            foreignKeyName: "conversations_assignee_fkey";
            columns: ["company_id", "assigned_to"];
            isOneToOne: false;
            referencedRelation: "own_members";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "conversations_assignee_fkey";
            columns: ["company_id", "assigned_to"];
            isOneToOne: false;
            referencedRelation: "own_plain_members";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "conversations_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "conversations_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "conversations_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contact_wishes";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "conversations_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "conversations_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_plain_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "conversations_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_searched_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "conversations_messaging_account_fkey";
            columns: ["company_id", "messaging_account_id"];
            isOneToOne: false;
            referencedRelation: "messaging_accounts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "conversations_team_fkey";
            columns: ["company_id", "team_id"];
            isOneToOne: false;
            referencedRelation: "own_plain_teams";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "conversations_team_fkey";
            columns: ["company_id", "team_id"];
            isOneToOne: false;
            referencedRelation: "own_teams";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "conversations_team_fkey";
            columns: ["company_id", "team_id"];
            isOneToOne: false;
            referencedRelation: "teams";
            referencedColumns: ["company_id", "id"];
          },
        ];
      };
      "deal_history": {
        Row: {
          "api_key_id": string | null;
          "at": string;
          "company_id": string;
          "deal_id": string;
          "from_value": string | null;
          "id": string;
          "kind": string;
          "to_value": string | null;
          "user_id": string | null;
        };
        ComputedFields: never;
        Insert: {
          "api_key_id"?: string | null;
          "at": string;
          "company_id": string;
          "deal_id": string;
          "from_value"?: string | null;
          "id"?: string;
          "kind": string;
          "to_value"?: string | null;
          "user_id"?: string | null;
        };
        Update: {
          "api_key_id"?: string | null;
          "at"?: string;
          "company_id"?: string;
          "deal_id"?: string;
          "from_value"?: string | null;
          "id"?: string;
          "kind"?: string;
          "to_value"?: string | null;
          "user_id"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "deal_history_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "deal_history_deal_fkey";
            columns: ["company_id", "deal_id"];
            isOneToOne: false;
            referencedRelation: "deals";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "deal_history_deal_fkey";
            columns: ["company_id", "deal_id"];
            isOneToOne: false;
            referencedRelation: "own_deals";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "deal_history_deal_fkey";
            columns: ["company_id", "deal_id"];
            isOneToOne: false;
            referencedRelation: "own_plain_deals";
            referencedColumns: ["company_id", "id"];
          },
        ];
      };
      "deals": {
        Row: {
          "archived_at": string | null;
          "company_id": string;
          "contact_id": string;
          "created_at": string;
          "external_id": string | null;
          "id": string;
          "lost_at": string | null;
          "stage_changed_at": string;
          "stage_id": string;
          "status": string;
          "title": string;
          "updated_at": string;
          "value": number | null;
          "version": number;
          "won_at": string | null;
          "words": string;
        };
        ComputedFields: never;
        Insert: {
          "archived_at"?: string | null;
          "company_id"?: string;
          "contact_id": string;
          "created_at"?: string;
          "external_id"?: string | null;
          "id"?: string;
          "lost_at"?: string | null;
          "stage_changed_at"?: string;
          "stage_id": string;
          "status"?: string;
          "title": string;
          "updated_at"?: string;
          "value"?: number | null;
          "version"?: number;
          "won_at"?: string | null;
          "words"?: never;
        };
        Update: {
          "archived_at"?: string | null;
          "company_id"?: string;
          "contact_id"?: string;
          "created_at"?: string;
          "external_id"?: string | null;
          "id"?: string;
          "lost_at"?: string | null;
          "stage_changed_at"?: string;
          "stage_id"?: string;
          "status"?: string;
          "title"?: string;
          "updated_at"?: string;
          "value"?: number | null;
          "version"?: number;
          "won_at"?: string | null;
          "words"?: never;
        };
        Relationships: [
          {
            foreignKeyName: "deals_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "deals_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "deals_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contact_wishes";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "deals_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "deals_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_plain_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "deals_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_searched_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "deals_stage_fkey";
            columns: ["company_id", "stage_id"];
            isOneToOne: false;
            referencedRelation: "own_plain_stages";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "deals_stage_fkey";
            columns: ["company_id", "stage_id"];
            isOneToOne: false;
            referencedRelation: "own_stages";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "deals_stage_fkey";
            columns: ["company_id", "stage_id"];
            isOneToOne: false;
            referencedRelation: "stages";
            referencedColumns: ["company_id", "id"];
          },
        ];
      };
      "deleted_rows": {
        Row: {
          "company_id": string;
          "deleted_at": string;
          "id": string;
          "merged_into": string | null;
          "resource": string;
          "version": number;
        };
        ComputedFields: never;
        Insert: {
          "company_id": string;
          "deleted_at": string;
          "id": string;
          "merged_into"?: string | null;
          "resource": string;
          "version": number;
        };
        Update: {
          "company_id"?: string;
          "deleted_at"?: string;
          "id"?: string;
          "merged_into"?: string | null;
          "resource"?: string;
          "version"?: number;
        };
        Relationships: [
          {
            foreignKeyName: "deleted_rows_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "idempotency_keys": {
        Row: {
          "company_id": string;
          "fingerprint": string;
          "key": string;
          "made_at": string;
          "outcome": Json | null;
          "path": string;
        };
        ComputedFields: never;
        Insert: {
          "company_id": string;
          "fingerprint": string;
          "key": string;
          "made_at"?: string;
          "outcome"?: Json | null;
          "path": string;
        };
        Update: {
          "company_id"?: string;
          "fingerprint"?: string;
          "key"?: string;
          "made_at"?: string;
          "outcome"?: Json | null;
          "path"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "idempotency_keys_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "job_calls": {
        Row: {
          "account_id": string;
          "called_at": string;
          "company_id": string;
          "id": string;
          "job": string;
          "request_id": number;
        };
        ComputedFields: never;
        Insert: {
          "account_id": string;
          "called_at"?: string;
          "company_id": string;
          "id"?: string;
          "job": string;
          "request_id": number;
        };
        Update: {
          "account_id"?: string;
          "called_at"?: string;
          "company_id"?: string;
          "id"?: string;
          "job"?: string;
          "request_id"?: number;
        };
        Relationships: [
          {
            foreignKeyName: "job_calls_account_fkey";
            columns: ["company_id", "account_id"];
            isOneToOne: false;
            referencedRelation: "messaging_accounts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "job_calls_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "job_runs": {
        Row: {
          "account_id": string;
          "began_at": string;
          "company_id": string;
          "ended_at": string | null;
          "failure": string | null;
          "id": string;
          "job": string;
          "result": Json | null;
        };
        ComputedFields: never;
        Insert: {
          "account_id": string;
          "began_at"?: string;
          "company_id": string;
          "ended_at"?: string | null;
          "failure"?: string | null;
          "id"?: string;
          "job": string;
          "result"?: Json | null;
        };
        Update: {
          "account_id"?: string;
          "began_at"?: string;
          "company_id"?: string;
          "ended_at"?: string | null;
          "failure"?: string | null;
          "id"?: string;
          "job"?: string;
          "result"?: Json | null;
        };
        Relationships: [
          {
            foreignKeyName: "job_runs_account_fkey";
            columns: ["company_id", "account_id"];
            isOneToOne: false;
            referencedRelation: "messaging_accounts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "job_runs_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "media_uploads": {
        Row: {
          "account_id": string;
          "bytes": number;
          "company_id": string;
          "created_at": string;
          "expires_at": string;
          "filename": string | null;
          "id": string;
          "media_id": string;
          "mime_type": string;
          "sha256": string;
          "type": string;
        };
        ComputedFields: never;
        Insert: {
          "account_id": string;
          "bytes": number;
          "company_id": string;
          "created_at"?: string;
          "expires_at"?: string;
          "filename"?: string | null;
          "id"?: string;
          "media_id": string;
          "mime_type": string;
          "sha256": string;
          "type": string;
        };
        Update: {
          "account_id"?: string;
          "bytes"?: number;
          "company_id"?: string;
          "created_at"?: string;
          "expires_at"?: string;
          "filename"?: string | null;
          "id"?: string;
          "media_id"?: string;
          "mime_type"?: string;
          "sha256"?: string;
          "type"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "media_uploads_account_fkey";
            columns: ["company_id", "account_id"];
            isOneToOne: false;
            referencedRelation: "messaging_accounts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "media_uploads_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "messages": {
        Row: {
          "author_id": string | null;
          "author_name": string | null;
          "author_type": string | null;
          "company_id": string;
          "content": string;
          "conversation_id": string;
          "created_at": string;
          "delivered_at": string | null;
          "direction": string;
          "edited_at": string | null;
          "expired_at": string | null;
          "expires_at": string | null;
          "failed_at": string | null;
          "failure": Json | null;
          "id": string;
          "is_erased": boolean;
          "media": Json | null;
          "original_content": string | null;
          "outcome": string | null;
          "own_reaction": Json | null;
          "own_reaction_whatsapp_id": string | null;
          "payload": Json | null;
          "price_category": string | null;
          "price_type": string | null;
          "reaction": Json | null;
          "read_at": string | null;
          "received_at": string | null;
          "rendered_text": string | null;
          "reply_to_id": string | null;
          "reply_to_whatsapp_id": string | null;
          "revoked_at": string | null;
          "sent_at": string | null;
          "status": string | null;
          "type": string;
          "updated_at": string;
          "version": number;
          "whatsapp_message_id": string | null;
          "wish": string | null;
        };
        ComputedFields: never;
        Insert: {
          "author_id"?: string | null;
          "author_name"?: string | null;
          "author_type"?: string | null;
          "company_id": string;
          "content": string;
          "conversation_id": string;
          "created_at"?: string;
          "delivered_at"?: string | null;
          "direction": string;
          "edited_at"?: string | null;
          "expired_at"?: string | null;
          "expires_at"?: string | null;
          "failed_at"?: string | null;
          "failure"?: Json | null;
          "id"?: string;
          "is_erased"?: boolean;
          "media"?: Json | null;
          "original_content"?: string | null;
          "outcome"?: string | null;
          "own_reaction"?: Json | null;
          "own_reaction_whatsapp_id"?: string | null;
          "payload"?: Json | null;
          "price_category"?: string | null;
          "price_type"?: string | null;
          "reaction"?: Json | null;
          "read_at"?: string | null;
          "received_at"?: string | null;
          "rendered_text"?: string | null;
          "reply_to_id"?: string | null;
          "reply_to_whatsapp_id"?: string | null;
          "revoked_at"?: string | null;
          "sent_at"?: string | null;
          "status"?: never;
          "type"?: string;
          "updated_at"?: string;
          "version"?: number;
          "whatsapp_message_id"?: string | null;
          "wish"?: string | null;
        };
        Update: {
          "author_id"?: string | null;
          "author_name"?: string | null;
          "author_type"?: string | null;
          "company_id"?: string;
          "content"?: string;
          "conversation_id"?: string;
          "created_at"?: string;
          "delivered_at"?: string | null;
          "direction"?: string;
          "edited_at"?: string | null;
          "expired_at"?: string | null;
          "expires_at"?: string | null;
          "failed_at"?: string | null;
          "failure"?: Json | null;
          "id"?: string;
          "is_erased"?: boolean;
          "media"?: Json | null;
          "original_content"?: string | null;
          "outcome"?: string | null;
          "own_reaction"?: Json | null;
          "own_reaction_whatsapp_id"?: string | null;
          "payload"?: Json | null;
          "price_category"?: string | null;
          "price_type"?: string | null;
          "reaction"?: Json | null;
          "read_at"?: string | null;
          "received_at"?: string | null;
          "rendered_text"?: string | null;
          "reply_to_id"?: string | null;
          "reply_to_whatsapp_id"?: string | null;
          "revoked_at"?: string | null;
          "sent_at"?: string | null;
          "status"?: never;
          "type"?: string;
          "updated_at"?: string;
          "version"?: number;
          "whatsapp_message_id"?: string | null;
          "wish"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "messages_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "messages_conversation_fkey";
            columns: ["company_id", "conversation_id"];
            isOneToOne: false;
            referencedRelation: "conversations";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "messages_conversation_fkey";
            columns: ["company_id", "conversation_id"];
            isOneToOne: false;
            referencedRelation: "own_conversations";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "messages_conversation_fkey";
            columns: ["company_id", "conversation_id"];
            isOneToOne: false;
            referencedRelation: "own_plain_conversations";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "messages_reply_to_fkey";
            columns: ["company_id", "reply_to_id"];
            isOneToOne: false;
            referencedRelation: "messages";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "messages_reply_to_fkey";
            columns: ["company_id", "reply_to_id"];
            isOneToOne: false;
            referencedRelation: "own_messages";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "messages_reply_to_fkey";
            columns: ["company_id", "reply_to_id"];
            isOneToOne: false;
            referencedRelation: "own_original_contents";
            referencedColumns: ["company_id", "id"];
          },
        ];
      };
      "messaging_accounts": {
        Row: {
          "business_account_id": string | null;
          "channel_app_id": string | null;
          "company_id": string;
          "created_at": string;
          "disconnected_at": string | null;
          "display_phone": string;
          "encrypted_token": string | null;
          "id": string;
          "phone_number_id": string;
          "refused_at": string | null;
          "updated_at": string;
        };
        ComputedFields: never;
        Insert: {
          "business_account_id"?: string | null;
          "channel_app_id"?: string | null;
          "company_id": string;
          "created_at"?: string;
          "disconnected_at"?: string | null;
          "display_phone": string;
          "encrypted_token"?: string | null;
          "id"?: string;
          "phone_number_id": string;
          "refused_at"?: string | null;
          "updated_at"?: string;
        };
        Update: {
          "business_account_id"?: string | null;
          "channel_app_id"?: string | null;
          "company_id"?: string;
          "created_at"?: string;
          "disconnected_at"?: string | null;
          "display_phone"?: string;
          "encrypted_token"?: string | null;
          "id"?: string;
          "phone_number_id"?: string;
          "refused_at"?: string | null;
          "updated_at"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "messaging_accounts_channel_app_id_fkey";
            columns: ["channel_app_id"];
            isOneToOne: false;
            referencedRelation: "channel_apps";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "messaging_accounts_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "opt_out_lifts": {
        Row: {
          "asked_at": string;
          "company_id": string;
          "contact_id": string;
          "id": string;
          "kind": string;
          "lifted_at": string;
          "member_id": string;
          "member_name": string | null;
          "reason": string | null;
          "source": string;
        };
        ComputedFields: never;
        Insert: {
          "asked_at": string;
          "company_id": string;
          "contact_id": string;
          "id"?: string;
          "kind": string;
          "lifted_at"?: string;
          "member_id": string;
          "member_name"?: string | null;
          "reason"?: string | null;
          "source": string;
        };
        Update: {
          "asked_at"?: string;
          "company_id"?: string;
          "contact_id"?: string;
          "id"?: string;
          "kind"?: string;
          "lifted_at"?: string;
          "member_id"?: string;
          "member_name"?: string | null;
          "reason"?: string | null;
          "source"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "opt_out_lifts_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "opt_out_lifts_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "opt_out_lifts_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contact_wishes";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "opt_out_lifts_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "opt_out_lifts_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_plain_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "opt_out_lifts_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_searched_contacts";
            referencedColumns: ["company_id", "id"];
          },
        ];
      };
      "pipelines": {
        Row: {
          "archived_at": string | null;
          "company_id": string;
          "created_at": string;
          "id": string;
          "is_default": boolean;
          "name": string;
          "position": number;
          "updated_at": string;
          "version": number;
        };
        ComputedFields: never;
        Insert: {
          "archived_at"?: string | null;
          "company_id": string;
          "created_at"?: string;
          "id"?: string;
          "is_default"?: boolean;
          "name": string;
          "position": number;
          "updated_at"?: string;
          "version"?: number;
        };
        Update: {
          "archived_at"?: string | null;
          "company_id"?: string;
          "created_at"?: string;
          "id"?: string;
          "is_default"?: boolean;
          "name"?: string;
          "position"?: number;
          "updated_at"?: string;
          "version"?: number;
        };
        Relationships: [
          {
            foreignKeyName: "pipelines_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "sends": {
        Row: {
          "api_key_id": string | null;
          "attempt": number;
          "channel_code": number | null;
          "claim_id": string;
          "company_id": string;
          "created_at": string;
          "created_conversation": boolean;
          "double_sent_ids": (string)[];
          "fingerprint": string | null;
          "id": string;
          "idempotency_key": string | null;
          "is_erased": boolean;
          "language_code": string | null;
          "lease_ends_at": string;
          "media_id": string | null;
          "message_id": string;
          "reason": string | null;
          "state": string;
          "template_name": string | null;
          "updated_at": string;
          "whatsapp_message_id": string | null;
        };
        ComputedFields: never;
        Insert: {
          "api_key_id"?: string | null;
          "attempt"?: number;
          "channel_code"?: number | null;
          "claim_id": string;
          "company_id": string;
          "created_at"?: string;
          "created_conversation"?: boolean;
          "double_sent_ids"?: (string)[];
          "fingerprint"?: string | null;
          "id"?: string;
          "idempotency_key"?: string | null;
          "is_erased"?: boolean;
          "language_code"?: string | null;
          "lease_ends_at"?: string;
          "media_id"?: string | null;
          "message_id": string;
          "reason"?: string | null;
          "state"?: string;
          "template_name"?: string | null;
          "updated_at"?: string;
          "whatsapp_message_id"?: string | null;
        };
        Update: {
          "api_key_id"?: string | null;
          "attempt"?: number;
          "channel_code"?: number | null;
          "claim_id"?: string;
          "company_id"?: string;
          "created_at"?: string;
          "created_conversation"?: boolean;
          "double_sent_ids"?: (string)[];
          "fingerprint"?: string | null;
          "id"?: string;
          "idempotency_key"?: string | null;
          "is_erased"?: boolean;
          "language_code"?: string | null;
          "lease_ends_at"?: string;
          "media_id"?: string | null;
          "message_id"?: string;
          "reason"?: string | null;
          "state"?: string;
          "template_name"?: string | null;
          "updated_at"?: string;
          "whatsapp_message_id"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "sends_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "sends_message_fkey";
            columns: ["company_id", "message_id"];
            isOneToOne: true;
            referencedRelation: "messages";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "sends_message_fkey";
            columns: ["company_id", "message_id"];
            isOneToOne: true;
            referencedRelation: "own_messages";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "sends_message_fkey";
            columns: ["company_id", "message_id"];
            isOneToOne: true;
            referencedRelation: "own_original_contents";
            referencedColumns: ["company_id", "id"];
          },
        ];
      };
      "stages": {
        Row: {
          "archived_at": string | null;
          "company_id": string;
          "created_at": string;
          "id": string;
          "name": string;
          "pipeline_id": string;
          "position": number;
          "updated_at": string;
          "version": number;
        };
        ComputedFields: never;
        Insert: {
          "archived_at"?: string | null;
          "company_id": string;
          "created_at"?: string;
          "id"?: string;
          "name": string;
          "pipeline_id": string;
          "position": number;
          "updated_at"?: string;
          "version"?: number;
        };
        Update: {
          "archived_at"?: string | null;
          "company_id"?: string;
          "created_at"?: string;
          "id"?: string;
          "name"?: string;
          "pipeline_id"?: string;
          "position"?: number;
          "updated_at"?: string;
          "version"?: number;
        };
        Relationships: [
          {
            foreignKeyName: "stages_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "stages_pipeline_fkey";
            columns: ["company_id", "pipeline_id"];
            isOneToOne: false;
            referencedRelation: "own_pipelines";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "stages_pipeline_fkey";
            columns: ["company_id", "pipeline_id"];
            isOneToOne: false;
            referencedRelation: "own_plain_pipelines";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "stages_pipeline_fkey";
            columns: ["company_id", "pipeline_id"];
            isOneToOne: false;
            referencedRelation: "pipelines";
            referencedColumns: ["company_id", "id"];
          },
        ];
      };
      "teams": {
        Row: {
          "company_id": string;
          "created_at": string;
          "id": string;
          "name": string;
          "updated_at": string;
          "version": number;
        };
        ComputedFields: never;
        Insert: {
          "company_id": string;
          "created_at"?: string;
          "id"?: string;
          "name": string;
          "updated_at"?: string;
          "version"?: number;
        };
        Update: {
          "company_id"?: string;
          "created_at"?: string;
          "id"?: string;
          "name"?: string;
          "updated_at"?: string;
          "version"?: number;
        };
        Relationships: [
          {
            foreignKeyName: "teams_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "template_catalogues": {
        Row: {
          "business_account_id": string;
          "company_id": string;
          "created_at": string;
          "failures": number;
          "id": string;
          "sync_due_at": string;
          "synced_at": string | null;
          "updated_at": string;
        };
        ComputedFields: never;
        Insert: {
          "business_account_id": string;
          "company_id": string;
          "created_at"?: string;
          "failures"?: number;
          "id"?: string;
          "sync_due_at"?: string;
          "synced_at"?: string | null;
          "updated_at"?: string;
        };
        Update: {
          "business_account_id"?: string;
          "company_id"?: string;
          "created_at"?: string;
          "failures"?: number;
          "id"?: string;
          "sync_due_at"?: string;
          "synced_at"?: string | null;
          "updated_at"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "template_catalogues_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "template_hints": {
        Row: {
          "business_account_id": string;
          "company_id": string;
          "happened_at": string;
          "id": string;
          "kind": string;
          "language": string;
          "name": string;
          "told_at": string;
          "value": NonNullable<Json>;
        };
        ComputedFields: never;
        Insert: {
          "business_account_id": string;
          "company_id": string;
          "happened_at": string;
          "id"?: string;
          "kind": string;
          "language": string;
          "name": string;
          "told_at"?: string;
          "value": NonNullable<Json>;
        };
        Update: {
          "business_account_id"?: string;
          "company_id"?: string;
          "happened_at"?: string;
          "id"?: string;
          "kind"?: string;
          "language"?: string;
          "name"?: string;
          "told_at"?: string;
          "value"?: NonNullable<Json>;
        };
        Relationships: [
          {
            foreignKeyName: "template_hints_catalogue_fkey";
            columns: ["company_id", "business_account_id"];
            isOneToOne: false;
            referencedRelation: "template_catalogues";
            referencedColumns: ["company_id", "business_account_id"];
          },
          {
            foreignKeyName: "template_hints_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "template_media": {
        Row: {
          "account_id": string;
          "began_at": string | null;
          "company_id": string;
          "created_at": string;
          "failed_at": string | null;
          "failure": string | null;
          "failure_is_permanent": boolean;
          "failures": number;
          "filename": string | null;
          "id": string;
          "job_failed_at": string | null;
          "lease_ends_at": string | null;
          "media_id": string | null;
          "sample_source": string;
          "updated_at": string;
          "upload_id": string | null;
          "uploaded_at": string | null;
        };
        ComputedFields: never;
        Insert: {
          "account_id": string;
          "began_at"?: string | null;
          "company_id": string;
          "created_at"?: string;
          "failed_at"?: string | null;
          "failure"?: string | null;
          "failure_is_permanent"?: boolean;
          "failures"?: number;
          "filename"?: string | null;
          "id"?: string;
          "job_failed_at"?: string | null;
          "lease_ends_at"?: string | null;
          "media_id"?: string | null;
          "sample_source": string;
          "updated_at"?: string;
          "upload_id"?: string | null;
          "uploaded_at"?: string | null;
        };
        Update: {
          "account_id"?: string;
          "began_at"?: string | null;
          "company_id"?: string;
          "created_at"?: string;
          "failed_at"?: string | null;
          "failure"?: string | null;
          "failure_is_permanent"?: boolean;
          "failures"?: number;
          "filename"?: string | null;
          "id"?: string;
          "job_failed_at"?: string | null;
          "lease_ends_at"?: string | null;
          "media_id"?: string | null;
          "sample_source"?: string;
          "updated_at"?: string;
          "upload_id"?: string | null;
          "uploaded_at"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "template_media_account_fkey";
            columns: ["company_id", "account_id"];
            isOneToOne: false;
            referencedRelation: "messaging_accounts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "template_media_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "template_rereads": {
        Row: {
          "business_account_id": string;
          "company_id": string;
          "id": string;
          "name": string;
          "read_at": string | null;
          "tried_at": string;
        };
        ComputedFields: never;
        Insert: {
          "business_account_id": string;
          "company_id": string;
          "id"?: string;
          "name": string;
          "read_at"?: string | null;
          "tried_at"?: string;
        };
        Update: {
          "business_account_id"?: string;
          "company_id"?: string;
          "id"?: string;
          "name"?: string;
          "read_at"?: string | null;
          "tried_at"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "template_rereads_catalogue_fkey";
            columns: ["company_id", "business_account_id"];
            isOneToOne: false;
            referencedRelation: "template_catalogues";
            referencedColumns: ["company_id", "business_account_id"];
          },
          {
            foreignKeyName: "template_rereads_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "templates": {
        Row: {
          "business_account_id": string;
          "category": string | null;
          "channel_template_id": string | null;
          "company_id": string;
          "components": NonNullable<Json>;
          "created_at": string;
          "header_format": string | null;
          "id": string;
          "language": string;
          "media_problem": string | null;
          "name": string;
          "otp_button": number | null;
          "parameter_format": string;
          "phone_number_ids": (string)[];
          "quality": string | null;
          "read_at": string;
          "rejected_reason": string | null;
          "rendering": NonNullable<Json>;
          "sample_source": string | null;
          "sample_url": string | null;
          "status": string;
          "status_since": string;
          "ttl_seconds": number | null;
          "unsupported": (string)[];
          "upcoming_category": string | null;
          "updated_at": string;
          "variables": NonNullable<Json>;
        };
        ComputedFields: never;
        Insert: {
          "business_account_id": string;
          "category"?: string | null;
          "channel_template_id"?: string | null;
          "company_id": string;
          "components": NonNullable<Json>;
          "created_at"?: string;
          "header_format"?: string | null;
          "id"?: string;
          "language": string;
          "media_problem"?: string | null;
          "name": string;
          "otp_button"?: number | null;
          "parameter_format": string;
          "phone_number_ids"?: (string)[];
          "quality"?: string | null;
          "read_at": string;
          "rejected_reason"?: string | null;
          "rendering": NonNullable<Json>;
          "sample_source"?: never;
          "sample_url"?: string | null;
          "status": string;
          "status_since": string;
          "ttl_seconds"?: number | null;
          "unsupported"?: (string)[];
          "upcoming_category"?: string | null;
          "updated_at"?: string;
          "variables": NonNullable<Json>;
        };
        Update: {
          "business_account_id"?: string;
          "category"?: string | null;
          "channel_template_id"?: string | null;
          "company_id"?: string;
          "components"?: NonNullable<Json>;
          "created_at"?: string;
          "header_format"?: string | null;
          "id"?: string;
          "language"?: string;
          "media_problem"?: string | null;
          "name"?: string;
          "otp_button"?: number | null;
          "parameter_format"?: string;
          "phone_number_ids"?: (string)[];
          "quality"?: string | null;
          "read_at"?: string;
          "rejected_reason"?: string | null;
          "rendering"?: NonNullable<Json>;
          "sample_source"?: never;
          "sample_url"?: string | null;
          "status"?: string;
          "status_since"?: string;
          "ttl_seconds"?: number | null;
          "unsupported"?: (string)[];
          "upcoming_category"?: string | null;
          "updated_at"?: string;
          "variables"?: NonNullable<Json>;
        };
        Relationships: [
          {
            foreignKeyName: "templates_catalogue_fkey";
            columns: ["company_id", "business_account_id"];
            isOneToOne: false;
            referencedRelation: "template_catalogues";
            referencedColumns: ["company_id", "business_account_id"];
          },
          {
            foreignKeyName: "templates_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "test_sends": {
        Row: {
          "company_id": string;
          "created_at": string;
          "id": string;
          "user_id": string;
        };
        ComputedFields: never;
        Insert: {
          "company_id": string;
          "created_at"?: string;
          "id": string;
          "user_id": string;
        };
        Update: {
          "company_id"?: string;
          "created_at"?: string;
          "id"?: string;
          "user_id"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "test_sends_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "user_id_changes": {
        Row: {
          "becomes": string;
          "company_id": string;
          "happened_at": string;
          "id": string;
          "phone": string | null;
          "phone_key": string | null;
          "was": string;
        };
        ComputedFields: never;
        Insert: {
          "becomes": string;
          "company_id": string;
          "happened_at": string;
          "id"?: string;
          "phone"?: string | null;
          "phone_key"?: never;
          "was": string;
        };
        Update: {
          "becomes"?: string;
          "company_id"?: string;
          "happened_at"?: string;
          "id"?: string;
          "phone"?: string | null;
          "phone_key"?: never;
          "was"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "user_id_changes_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "waiting_facts": {
        Row: {
          "account_id": string;
          "company_id": string;
          "id": string;
          "item": NonNullable<Json>;
          "person_marks": (number)[] | null;
          "received_at": string;
          "whatsapp_message_id": string;
        };
        ComputedFields: never;
        Insert: {
          "account_id": string;
          "company_id": string;
          "id"?: string;
          "item": NonNullable<Json>;
          "person_marks"?: (number)[] | null;
          "received_at"?: string;
          "whatsapp_message_id": string;
        };
        Update: {
          "account_id"?: string;
          "company_id"?: string;
          "id"?: string;
          "item"?: NonNullable<Json>;
          "person_marks"?: (number)[] | null;
          "received_at"?: string;
          "whatsapp_message_id"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "waiting_facts_account_fkey";
            columns: ["company_id", "account_id"];
            isOneToOne: false;
            referencedRelation: "messaging_accounts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "waiting_facts_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "webhooks": {
        Row: {
          "catch_up_seq": number | null;
          "catch_up_until": number | null;
          "catch_up_version": number | null;
          "company_id": string;
          "created_at": string;
          "created_by": string | null;
          "created_by_key_id": string | null;
          "description": string | null;
          "failing_since": string | null;
          "failures": number;
          "id": string;
          "is_queued": boolean;
          "last_success_at": string | null;
          "lease_id": string | null;
          "leased_until": string | null;
          "paused_until": string | null;
          "pauses": number;
          "payload": string;
          "previous_secrets_end_at": (string)[];
          "sealed_previous_secrets": (string)[];
          "sealed_secret": string;
          "state": string;
          "switched_off_at": string | null;
          "types": (string)[];
          "updated_at": string;
          "url": string;
          "why": string | null;
        };
        ComputedFields: never;
        Insert: {
          "catch_up_seq"?: number | null;
          "catch_up_until"?: number | null;
          "catch_up_version"?: number | null;
          "company_id": string;
          "created_at"?: string;
          "created_by"?: string | null;
          "created_by_key_id"?: string | null;
          "description"?: string | null;
          "failing_since"?: string | null;
          "failures"?: number;
          "id"?: string;
          "is_queued"?: never;
          "last_success_at"?: string | null;
          "lease_id"?: string | null;
          "leased_until"?: string | null;
          "paused_until"?: string | null;
          "pauses"?: number;
          "payload"?: string;
          "previous_secrets_end_at"?: (string)[];
          "sealed_previous_secrets"?: (string)[];
          "sealed_secret": string;
          "state"?: string;
          "switched_off_at"?: string | null;
          "types": (string)[];
          "updated_at"?: string;
          "url": string;
          "why"?: string | null;
        };
        Update: {
          "catch_up_seq"?: number | null;
          "catch_up_until"?: number | null;
          "catch_up_version"?: number | null;
          "company_id"?: string;
          "created_at"?: string;
          "created_by"?: string | null;
          "created_by_key_id"?: string | null;
          "description"?: string | null;
          "failing_since"?: string | null;
          "failures"?: number;
          "id"?: string;
          "is_queued"?: never;
          "last_success_at"?: string | null;
          "lease_id"?: string | null;
          "leased_until"?: string | null;
          "paused_until"?: string | null;
          "pauses"?: number;
          "payload"?: string;
          "previous_secrets_end_at"?: (string)[];
          "sealed_previous_secrets"?: (string)[];
          "sealed_secret"?: string;
          "state"?: string;
          "switched_off_at"?: string | null;
          "types"?: (string)[];
          "updated_at"?: string;
          "url"?: string;
          "why"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "webhooks_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
    };
    Views: {
      "own_contact_former_phones": {
        Row: {
          "archived_phone_key": string | null;
          "company_id": string;
          "contact_id": string;
          "id": string;
          "phone": string;
          "phone_key": string | null;
          "until": string;
        };
        ComputedFields: never;
        Insert: {
          "archived_phone_key"?: string | null;
          "company_id"?: string | null;
          "contact_id"?: string | null;
          "id"?: string | null;
          "phone"?: string | null;
          "phone_key"?: string | null;
          "until"?: string | null;
        };
        Update: {
          "archived_phone_key"?: string | null;
          "company_id"?: string | null;
          "contact_id"?: string | null;
          "id"?: string | null;
          "phone"?: string | null;
          "phone_key"?: string | null;
          "until"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "contact_former_phones_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "contact_former_phones_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_former_phones_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contact_wishes";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_former_phones_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_former_phones_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_plain_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_former_phones_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_searched_contacts";
            referencedColumns: ["company_id", "id"];
          },
        ];
      };
      "own_contact_identities": {
        Row: {
          "business_account_id": string | null;
          "company_id": string;
          "contact_id": string;
          "id": string;
          "seen_at": string;
          "user_id": string | null;
        };
        ComputedFields: never;
        Insert: {
          "business_account_id"?: string | null;
          "company_id"?: string | null;
          "contact_id"?: string | null;
          "id"?: string | null;
          "seen_at"?: string | null;
          "user_id"?: never;
        };
        Update: {
          "business_account_id"?: string | null;
          "company_id"?: string | null;
          "contact_id"?: string | null;
          "id"?: string | null;
          "seen_at"?: string | null;
          "user_id"?: never;
        };
        Relationships: [
          {
            foreignKeyName: "contact_identities_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "contact_identities_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_identities_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contact_wishes";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_identities_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_identities_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_plain_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_identities_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_searched_contacts";
            referencedColumns: ["company_id", "id"];
          },
        ];
      };
      "own_contact_identity_events": {
        Row: {
          "becomes": string | null;
          "company_id": string;
          "contact_id": string;
          "happened_at": string;
          "id": string;
          "kind": string;
          "was": string | null;
        };
        ComputedFields: never;
        Insert: {
          "becomes"?: string | null;
          "company_id"?: string | null;
          "contact_id"?: string | null;
          "happened_at"?: string | null;
          "id"?: string | null;
          "kind"?: string | null;
          "was"?: string | null;
        };
        Update: {
          "becomes"?: string | null;
          "company_id"?: string | null;
          "contact_id"?: string | null;
          "happened_at"?: string | null;
          "id"?: string | null;
          "kind"?: string | null;
          "was"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "contact_identity_events_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "contact_identity_events_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_identity_events_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contact_wishes";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_identity_events_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_identity_events_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_plain_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_identity_events_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_searched_contacts";
            referencedColumns: ["company_id", "id"];
          },
        ];
      };
      "own_contact_windows": {
        Row: {
          "account_id": string;
          "closed_at": string | null;
          "company_id": string;
          "contact_id": string;
          "expires_at": string | null;
          "id": string;
          "last_inbound_at": string | null;
        };
        ComputedFields: never;
        Insert: {
          "account_id"?: string | null;
          "closed_at"?: string | null;
          "company_id"?: string | null;
          "contact_id"?: string | null;
          "expires_at"?: string | null;
          "id"?: string | null;
          "last_inbound_at"?: string | null;
        };
        Update: {
          "account_id"?: string | null;
          "closed_at"?: string | null;
          "company_id"?: string | null;
          "contact_id"?: string | null;
          "expires_at"?: string | null;
          "id"?: string | null;
          "last_inbound_at"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "contact_windows_account_fkey";
            columns: ["company_id", "account_id"];
            isOneToOne: false;
            referencedRelation: "messaging_accounts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_windows_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "contact_windows_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_windows_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contact_wishes";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_windows_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_windows_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_plain_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "contact_windows_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_searched_contacts";
            referencedColumns: ["company_id", "id"];
          },
        ];
      };
      "own_contact_wishes": {
        Row: {
          "company_id": string;
          "do_not_contact": boolean;
          "do_not_contact_at": string | null;
          "do_not_contact_source": string | null;
          "id": string;
          "marketing_opt_out_at": string | null;
          "marketing_resumed_at": string | null;
          "marketing_stop_source": string | null;
          "marketing_stopped_at": string | null;
          "start_word_at": string | null;
          "stop_word_at": string | null;
        };
        ComputedFields: never;
        Insert: {
          "company_id"?: string | null;
          "do_not_contact"?: boolean | null;
          "do_not_contact_at"?: string | null;
          "do_not_contact_source"?: string | null;
          "id"?: string | null;
          "marketing_opt_out_at"?: string | null;
          "marketing_resumed_at"?: string | null;
          "marketing_stop_source"?: string | null;
          "marketing_stopped_at"?: string | null;
          "start_word_at"?: string | null;
          "stop_word_at"?: string | null;
        };
        Update: {
          "company_id"?: string | null;
          "do_not_contact"?: boolean | null;
          "do_not_contact_at"?: string | null;
          "do_not_contact_source"?: string | null;
          "id"?: string | null;
          "marketing_opt_out_at"?: string | null;
          "marketing_resumed_at"?: string | null;
          "marketing_stop_source"?: string | null;
          "marketing_stopped_at"?: string | null;
          "start_word_at"?: string | null;
          "stop_word_at"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "contacts_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "own_contacts": {
        Row: {
          "archived_at": string | null;
          "archived_phone_key": string | null;
          "company_id": string;
          "created_at": string;
          "custom_fields": NonNullable<Json>;
          "do_not_contact": boolean;
          "do_not_contact_at": string | null;
          "do_not_contact_source": string | null;
          "email": string | null;
          "email_key": string | null;
          "email_words": string | null;
          "empresa": string | null;
          "empresa_words": string | null;
          "erased_at": string | null;
          "external_id": string | null;
          "id": string;
          "is_active": boolean;
          "job_title": string | null;
          "job_title_words": string | null;
          "marketing_opt_out": boolean;
          "marketing_opt_out_at": string | null;
          "marketing_opt_out_source": string | null;
          "name": string | null;
          "name_sort": string | null;
          "name_words": string | null;
          "phone": string | null;
          "phone_key": string | null;
          "phone_words": string | null;
          "source": string;
          "tags": (string)[];
          "temperature": string;
          "updated_at": string;
          "version": string | null;
        };
        ComputedFields: never;
        Insert: {
          "archived_at"?: string | null;
          "archived_phone_key"?: string | null;
          "company_id"?: string | null;
          "created_at"?: string | null;
          "custom_fields"?: Json | null;
          "do_not_contact"?: boolean | null;
          "do_not_contact_at"?: string | null;
          "do_not_contact_source"?: string | null;
          "email"?: string | null;
          "email_key"?: string | null;
          "email_words"?: string | null;
          "empresa"?: string | null;
          "empresa_words"?: string | null;
          "erased_at"?: string | null;
          "external_id"?: string | null;
          "id"?: string | null;
          "is_active"?: boolean | null;
          "job_title"?: string | null;
          "job_title_words"?: string | null;
          "marketing_opt_out"?: boolean | null;
          "marketing_opt_out_at"?: string | null;
          "marketing_opt_out_source"?: string | null;
          "name"?: string | null;
          "name_sort"?: never;
          "name_words"?: string | null;
          "phone"?: string | null;
          "phone_key"?: string | null;
          "phone_words"?: never;
          "source"?: string | null;
          "tags"?: (string)[] | null;
          "temperature"?: string | null;
          "updated_at"?: string | null;
          "version"?: never;
        };
        Update: {
          "archived_at"?: string | null;
          "archived_phone_key"?: string | null;
          "company_id"?: string | null;
          "created_at"?: string | null;
          "custom_fields"?: Json | null;
          "do_not_contact"?: boolean | null;
          "do_not_contact_at"?: string | null;
          "do_not_contact_source"?: string | null;
          "email"?: string | null;
          "email_key"?: string | null;
          "email_words"?: string | null;
          "empresa"?: string | null;
          "empresa_words"?: string | null;
          "erased_at"?: string | null;
          "external_id"?: string | null;
          "id"?: string | null;
          "is_active"?: boolean | null;
          "job_title"?: string | null;
          "job_title_words"?: string | null;
          "marketing_opt_out"?: boolean | null;
          "marketing_opt_out_at"?: string | null;
          "marketing_opt_out_source"?: string | null;
          "name"?: string | null;
          "name_sort"?: never;
          "name_words"?: string | null;
          "phone"?: string | null;
          "phone_key"?: string | null;
          "phone_words"?: never;
          "source"?: string | null;
          "tags"?: (string)[] | null;
          "temperature"?: string | null;
          "updated_at"?: string | null;
          "version"?: never;
        };
        Relationships: [
          {
            foreignKeyName: "contacts_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "own_conversations": {
        Row: {
          "assigned_to": string | null;
          "company_id": string;
          "contact_id": string;
          "created_at": string;
          "id": string;
          "last_message_at": string | null;
          "last_message_sort": string | null;
          "phone_number_id": string;
          "status": string;
          "team_id": string | null;
          "updated_at": string;
          "version": string | null;
          "window_expires_at": string | null;
        };
        ComputedFields: never;
        Insert: {
          "assigned_to"?: string | null;
          "company_id"?: string | null;
          "contact_id"?: string | null;
          "created_at"?: string | null;
          "id"?: string | null;
          "last_message_at"?: string | null;
          "last_message_sort"?: never;
          "phone_number_id"?: string | null;
          "status"?: string | null;
          "team_id"?: string | null;
          "updated_at"?: string | null;
          "version"?: never;
          "window_expires_at"?: string | null;
        };
        Update: {
          "assigned_to"?: string | null;
          "company_id"?: string | null;
          "contact_id"?: string | null;
          "created_at"?: string | null;
          "id"?: string | null;
          "last_message_at"?: string | null;
          "last_message_sort"?: never;
          "phone_number_id"?: string | null;
          "status"?: string | null;
          "team_id"?: string | null;
          "updated_at"?: string | null;
          "version"?: never;
          "window_expires_at"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "conversations_assignee_fkey";
            columns: ["company_id", "assigned_to"];
            isOneToOne: false;
            referencedRelation: "company_members";
            referencedColumns: ["company_id", "user_id"];
          },
          {
            foreignKeyName: "conversations_assignee_fkey";
            columns: ["company_id", "assigned_to"];
            isOneToOne: false;
            referencedRelation: "own_members";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "conversations_assignee_fkey";
            columns: ["company_id", "assigned_to"];
            isOneToOne: false;
            referencedRelation: "own_plain_members";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "conversations_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "conversations_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "conversations_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contact_wishes";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "conversations_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "conversations_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_plain_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "conversations_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_searched_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "conversations_team_fkey";
            columns: ["company_id", "team_id"];
            isOneToOne: false;
            referencedRelation: "own_plain_teams";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "conversations_team_fkey";
            columns: ["company_id", "team_id"];
            isOneToOne: false;
            referencedRelation: "own_teams";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "conversations_team_fkey";
            columns: ["company_id", "team_id"];
            isOneToOne: false;
            referencedRelation: "teams";
            referencedColumns: ["company_id", "id"];
          },
        ];
      };
      "own_deal_history": {
        Row: {
          "api_key_id": string | null;
          "at": string;
          "company_id": string;
          "deal_id": string;
          "from": string | null;
          "id": string;
          "kind": string;
          "to": string | null;
          "user_id": string | null;
        };
        ComputedFields: never;
        Insert: {
          "api_key_id"?: string | null;
          "at"?: string | null;
          "company_id"?: string | null;
          "deal_id"?: string | null;
          "from"?: string | null;
          "id"?: string | null;
          "kind"?: string | null;
          "to"?: string | null;
          "user_id"?: string | null;
        };
        Update: {
          "api_key_id"?: string | null;
          "at"?: string | null;
          "company_id"?: string | null;
          "deal_id"?: string | null;
          "from"?: string | null;
          "id"?: string | null;
          "kind"?: string | null;
          "to"?: string | null;
          "user_id"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "deal_history_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "deal_history_deal_fkey";
            columns: ["company_id", "deal_id"];
            isOneToOne: false;
            referencedRelation: "deals";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "deal_history_deal_fkey";
            columns: ["company_id", "deal_id"];
            isOneToOne: false;
            referencedRelation: "own_deals";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "deal_history_deal_fkey";
            columns: ["company_id", "deal_id"];
            isOneToOne: false;
            referencedRelation: "own_plain_deals";
            referencedColumns: ["company_id", "id"];
          },
        ];
      };
      "own_deals": {
        Row: {
          "archived_at": string | null;
          "company_id": string;
          "contact_id": string;
          "created_at": string;
          "external_id": string | null;
          "id": string;
          "lost_at": string | null;
          "lost_sort": string | null;
          "stage_changed_at": string;
          "stage_id": string;
          "status": string;
          "title": string;
          "title_sort": string | null;
          "updated_at": string;
          "value": number | null;
          "value_sort": number | null;
          "version": string | null;
          "won_at": string | null;
          "won_sort": string | null;
          "words": string;
        };
        ComputedFields: never;
        Insert: {
          "archived_at"?: string | null;
          "company_id"?: string | null;
          "contact_id"?: string | null;
          "created_at"?: string | null;
          "external_id"?: string | null;
          "id"?: string | null;
          "lost_at"?: string | null;
          "lost_sort"?: never;
          "stage_changed_at"?: string | null;
          "stage_id"?: string | null;
          "status"?: string | null;
          "title"?: string | null;
          "title_sort"?: never;
          "updated_at"?: string | null;
          "value"?: number | null;
          "value_sort"?: never;
          "version"?: never;
          "won_at"?: string | null;
          "won_sort"?: never;
          "words"?: string | null;
        };
        Update: {
          "archived_at"?: string | null;
          "company_id"?: string | null;
          "contact_id"?: string | null;
          "created_at"?: string | null;
          "external_id"?: string | null;
          "id"?: string | null;
          "lost_at"?: string | null;
          "lost_sort"?: never;
          "stage_changed_at"?: string | null;
          "stage_id"?: string | null;
          "status"?: string | null;
          "title"?: string | null;
          "title_sort"?: never;
          "updated_at"?: string | null;
          "value"?: number | null;
          "value_sort"?: never;
          "version"?: never;
          "won_at"?: string | null;
          "won_sort"?: never;
          "words"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "deals_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "deals_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "deals_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contact_wishes";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "deals_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "deals_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_plain_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "deals_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_searched_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "deals_stage_fkey";
            columns: ["company_id", "stage_id"];
            isOneToOne: false;
            referencedRelation: "own_plain_stages";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "deals_stage_fkey";
            columns: ["company_id", "stage_id"];
            isOneToOne: false;
            referencedRelation: "own_stages";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "deals_stage_fkey";
            columns: ["company_id", "stage_id"];
            isOneToOne: false;
            referencedRelation: "stages";
            referencedColumns: ["company_id", "id"];
          },
        ];
      };
      "own_members": {
        Row: {
          "company_id": string;
          "created_at": string;
          "id": string;
          "name": string | null;
          "name_sort": string | null;
          "name_words": string | null;
          "role": string;
          "updated_at": string;
          "version": string | null;
        };
        ComputedFields: never;
        Insert: {
          "company_id"?: string | null;
          "created_at"?: string | null;
          "id"?: string | null;
          "name"?: string | null;
          "name_sort"?: never;
          "name_words"?: never;
          "role"?: string | null;
          "updated_at"?: string | null;
          "version"?: never;
        };
        Update: {
          "company_id"?: string | null;
          "created_at"?: string | null;
          "id"?: string | null;
          "name"?: string | null;
          "name_sort"?: never;
          "name_words"?: never;
          "role"?: string | null;
          "updated_at"?: string | null;
          "version"?: never;
        };
        Relationships: [
          {
            foreignKeyName: "company_members_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "own_messages": {
        Row: {
          "author": Json | null;
          "choice": Json | null;
          "company_id": string;
          "contact_cards": Json | null;
          "content": string;
          "conversation_id": string;
          "created_at": string;
          "delivered_at": string | null;
          "direction": string;
          "edited_at": string | null;
          "expired_at": string | null;
          "failed_at": string | null;
          "failure": Json | null;
          "id": string;
          "location": Json | null;
          "media": Json | null;
          "own_reaction": Json | null;
          "payload": Json | null;
          "price_category": string | null;
          "price_type": string | null;
          "reaction": Json | null;
          "read_at": string | null;
          "rendered_text": string | null;
          "reply_to_id": string | null;
          "reply_to_whatsapp_id": string | null;
          "revoked_at": string | null;
          "sent_at": string | null;
          "status": string | null;
          "type": string;
          "updated_at": string;
          "version": string | null;
          "whatsapp_message_id": string | null;
        };
        ComputedFields: never;
        Relationships: [
          {
            foreignKeyName: "messages_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "messages_conversation_fkey";
            columns: ["company_id", "conversation_id"];
            isOneToOne: false;
            referencedRelation: "conversations";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "messages_conversation_fkey";
            columns: ["company_id", "conversation_id"];
            isOneToOne: false;
            referencedRelation: "own_conversations";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "messages_conversation_fkey";
            columns: ["company_id", "conversation_id"];
            isOneToOne: false;
            referencedRelation: "own_plain_conversations";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "messages_reply_to_fkey";
            columns: ["company_id", "reply_to_id"];
            isOneToOne: false;
            referencedRelation: "messages";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "messages_reply_to_fkey";
            columns: ["company_id", "reply_to_id"];
            isOneToOne: false;
            referencedRelation: "own_messages";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "messages_reply_to_fkey";
            columns: ["company_id", "reply_to_id"];
            isOneToOne: false;
            referencedRelation: "own_original_contents";
            referencedColumns: ["company_id", "id"];
          },
        ];
      };
      "own_opt_out_lifts": {
        Row: {
          "asked_at": string;
          "company_id": string;
          "contact_id": string;
          "id": string;
          "kind": string;
          "lifted_at": string;
          "reason": string | null;
          "source": string;
        };
        ComputedFields: never;
        Insert: {
          "asked_at"?: string | null;
          "company_id"?: string | null;
          "contact_id"?: string | null;
          "id"?: string | null;
          "kind"?: string | null;
          "lifted_at"?: string | null;
          "reason"?: string | null;
          "source"?: string | null;
        };
        Update: {
          "asked_at"?: string | null;
          "company_id"?: string | null;
          "contact_id"?: string | null;
          "id"?: string | null;
          "kind"?: string | null;
          "lifted_at"?: string | null;
          "reason"?: string | null;
          "source"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "opt_out_lifts_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "opt_out_lifts_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "opt_out_lifts_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contact_wishes";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "opt_out_lifts_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "opt_out_lifts_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_plain_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "opt_out_lifts_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_searched_contacts";
            referencedColumns: ["company_id", "id"];
          },
        ];
      };
      "own_original_contents": {
        Row: {
          "company_id": string;
          "id": string;
          "original_content": string | null;
        };
        ComputedFields: never;
        Insert: {
          "company_id"?: string | null;
          "id"?: string | null;
          "original_content"?: string | null;
        };
        Update: {
          "company_id"?: string | null;
          "id"?: string | null;
          "original_content"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "messages_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "own_pipelines": {
        Row: {
          "archived_at": string | null;
          "company_id": string;
          "created_at": string;
          "id": string;
          "is_default": boolean;
          "name": string;
          "name_sort": string | null;
          "name_words": string | null;
          "position": number;
          "updated_at": string;
          "version": string | null;
        };
        ComputedFields: never;
        Insert: {
          "archived_at"?: string | null;
          "company_id"?: string | null;
          "created_at"?: string | null;
          "id"?: string | null;
          "is_default"?: boolean | null;
          "name"?: string | null;
          "name_sort"?: never;
          "name_words"?: never;
          "position"?: number | null;
          "updated_at"?: string | null;
          "version"?: never;
        };
        Update: {
          "archived_at"?: string | null;
          "company_id"?: string | null;
          "created_at"?: string | null;
          "id"?: string | null;
          "is_default"?: boolean | null;
          "name"?: string | null;
          "name_sort"?: never;
          "name_words"?: never;
          "position"?: number | null;
          "updated_at"?: string | null;
          "version"?: never;
        };
        Relationships: [
          {
            foreignKeyName: "pipelines_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "own_plain_contacts": {
        Row: {
          "archived_at": string | null;
          "company_id": string;
          "created_at": string;
          "custom_fields": NonNullable<Json>;
          "do_not_contact": boolean;
          "do_not_contact_at": string | null;
          "do_not_contact_source": string | null;
          "email": string | null;
          "empresa": string | null;
          "erased_at": string | null;
          "external_id": string | null;
          "id": string;
          "is_active": boolean;
          "job_title": string | null;
          "marketing_opt_out": boolean;
          "marketing_opt_out_at": string | null;
          "marketing_opt_out_source": string | null;
          "name": string | null;
          "phone": string | null;
          "source": string;
          "tags": (string)[];
          "temperature": string;
          "updated_at": string;
          "version": string | null;
        };
        ComputedFields: never;
        Insert: {
          "archived_at"?: string | null;
          "company_id"?: string | null;
          "created_at"?: string | null;
          "custom_fields"?: Json | null;
          "do_not_contact"?: boolean | null;
          "do_not_contact_at"?: string | null;
          "do_not_contact_source"?: string | null;
          "email"?: string | null;
          "empresa"?: string | null;
          "erased_at"?: string | null;
          "external_id"?: string | null;
          "id"?: string | null;
          "is_active"?: boolean | null;
          "job_title"?: string | null;
          "marketing_opt_out"?: boolean | null;
          "marketing_opt_out_at"?: string | null;
          "marketing_opt_out_source"?: string | null;
          "name"?: string | null;
          "phone"?: string | null;
          "source"?: string | null;
          "tags"?: (string)[] | null;
          "temperature"?: string | null;
          "updated_at"?: string | null;
          "version"?: never;
        };
        Update: {
          "archived_at"?: string | null;
          "company_id"?: string | null;
          "created_at"?: string | null;
          "custom_fields"?: Json | null;
          "do_not_contact"?: boolean | null;
          "do_not_contact_at"?: string | null;
          "do_not_contact_source"?: string | null;
          "email"?: string | null;
          "empresa"?: string | null;
          "erased_at"?: string | null;
          "external_id"?: string | null;
          "id"?: string | null;
          "is_active"?: boolean | null;
          "job_title"?: string | null;
          "marketing_opt_out"?: boolean | null;
          "marketing_opt_out_at"?: string | null;
          "marketing_opt_out_source"?: string | null;
          "name"?: string | null;
          "phone"?: string | null;
          "source"?: string | null;
          "tags"?: (string)[] | null;
          "temperature"?: string | null;
          "updated_at"?: string | null;
          "version"?: never;
        };
        Relationships: [
          {
            foreignKeyName: "contacts_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "own_plain_conversations": {
        Row: {
          "assigned_to": string | null;
          "company_id": string;
          "contact_id": string;
          "created_at": string;
          "id": string;
          "last_message_at": string | null;
          "phone_number_id": string;
          "status": string;
          "team_id": string | null;
          "updated_at": string;
          "version": string | null;
          "window_expires_at": string | null;
        };
        ComputedFields: never;
        Insert: {
          "assigned_to"?: string | null;
          "company_id"?: string | null;
          "contact_id"?: string | null;
          "created_at"?: string | null;
          "id"?: string | null;
          "last_message_at"?: string | null;
          "phone_number_id"?: string | null;
          "status"?: string | null;
          "team_id"?: string | null;
          "updated_at"?: string | null;
          "version"?: never;
          "window_expires_at"?: string | null;
        };
        Update: {
          "assigned_to"?: string | null;
          "company_id"?: string | null;
          "contact_id"?: string | null;
          "created_at"?: string | null;
          "id"?: string | null;
          "last_message_at"?: string | null;
          "phone_number_id"?: string | null;
          "status"?: string | null;
          "team_id"?: string | null;
          "updated_at"?: string | null;
          "version"?: never;
          "window_expires_at"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "conversations_assignee_fkey";
            columns: ["company_id", "assigned_to"];
            isOneToOne: false;
            referencedRelation: "company_members";
            referencedColumns: ["company_id", "user_id"];
          },
          {
            foreignKeyName: "conversations_assignee_fkey";
            columns: ["company_id", "assigned_to"];
            isOneToOne: false;
            referencedRelation: "own_members";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "conversations_assignee_fkey";
            columns: ["company_id", "assigned_to"];
            isOneToOne: false;
            referencedRelation: "own_plain_members";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "conversations_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "conversations_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "conversations_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contact_wishes";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "conversations_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "conversations_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_plain_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "conversations_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_searched_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "conversations_team_fkey";
            columns: ["company_id", "team_id"];
            isOneToOne: false;
            referencedRelation: "own_plain_teams";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "conversations_team_fkey";
            columns: ["company_id", "team_id"];
            isOneToOne: false;
            referencedRelation: "own_teams";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "conversations_team_fkey";
            columns: ["company_id", "team_id"];
            isOneToOne: false;
            referencedRelation: "teams";
            referencedColumns: ["company_id", "id"];
          },
        ];
      };
      "own_plain_deals": {
        Row: {
          "archived_at": string | null;
          "company_id": string;
          "contact_id": string;
          "created_at": string;
          "external_id": string | null;
          "id": string;
          "lost_at": string | null;
          "stage_changed_at": string;
          "stage_id": string;
          "status": string;
          "title": string;
          "updated_at": string;
          "value": number | null;
          "version": string | null;
          "won_at": string | null;
        };
        ComputedFields: never;
        Insert: {
          "archived_at"?: string | null;
          "company_id"?: string | null;
          "contact_id"?: string | null;
          "created_at"?: string | null;
          "external_id"?: string | null;
          "id"?: string | null;
          "lost_at"?: string | null;
          "stage_changed_at"?: string | null;
          "stage_id"?: string | null;
          "status"?: string | null;
          "title"?: string | null;
          "updated_at"?: string | null;
          "value"?: number | null;
          "version"?: never;
          "won_at"?: string | null;
        };
        Update: {
          "archived_at"?: string | null;
          "company_id"?: string | null;
          "contact_id"?: string | null;
          "created_at"?: string | null;
          "external_id"?: string | null;
          "id"?: string | null;
          "lost_at"?: string | null;
          "stage_changed_at"?: string | null;
          "stage_id"?: string | null;
          "status"?: string | null;
          "title"?: string | null;
          "updated_at"?: string | null;
          "value"?: number | null;
          "version"?: never;
          "won_at"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "deals_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "deals_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "deals_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contact_wishes";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "deals_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "deals_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_plain_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "deals_contact_fkey";
            columns: ["company_id", "contact_id"];
            isOneToOne: false;
            referencedRelation: "own_searched_contacts";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "deals_stage_fkey";
            columns: ["company_id", "stage_id"];
            isOneToOne: false;
            referencedRelation: "own_plain_stages";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "deals_stage_fkey";
            columns: ["company_id", "stage_id"];
            isOneToOne: false;
            referencedRelation: "own_stages";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "deals_stage_fkey";
            columns: ["company_id", "stage_id"];
            isOneToOne: false;
            referencedRelation: "stages";
            referencedColumns: ["company_id", "id"];
          },
        ];
      };
      "own_plain_members": {
        Row: {
          "company_id": string;
          "created_at": string;
          "id": string;
          "name": string | null;
          "role": string;
          "updated_at": string;
          "version": string | null;
        };
        ComputedFields: never;
        Insert: {
          "company_id"?: string | null;
          "created_at"?: string | null;
          "id"?: string | null;
          "name"?: string | null;
          "role"?: string | null;
          "updated_at"?: string | null;
          "version"?: never;
        };
        Update: {
          "company_id"?: string | null;
          "created_at"?: string | null;
          "id"?: string | null;
          "name"?: string | null;
          "role"?: string | null;
          "updated_at"?: string | null;
          "version"?: never;
        };
        Relationships: [
          {
            foreignKeyName: "company_members_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "own_plain_pipelines": {
        Row: {
          "archived_at": string | null;
          "company_id": string;
          "created_at": string;
          "id": string;
          "is_default": boolean;
          "name": string;
          "position": number;
          "updated_at": string;
          "version": string | null;
        };
        ComputedFields: never;
        Insert: {
          "archived_at"?: string | null;
          "company_id"?: string | null;
          "created_at"?: string | null;
          "id"?: string | null;
          "is_default"?: boolean | null;
          "name"?: string | null;
          "position"?: number | null;
          "updated_at"?: string | null;
          "version"?: never;
        };
        Update: {
          "archived_at"?: string | null;
          "company_id"?: string | null;
          "created_at"?: string | null;
          "id"?: string | null;
          "is_default"?: boolean | null;
          "name"?: string | null;
          "position"?: number | null;
          "updated_at"?: string | null;
          "version"?: never;
        };
        Relationships: [
          {
            foreignKeyName: "pipelines_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "own_plain_stages": {
        Row: {
          "archived_at": string | null;
          "company_id": string;
          "created_at": string;
          "id": string;
          "name": string;
          "pipeline_id": string;
          "position": number;
          "updated_at": string;
          "version": string | null;
        };
        ComputedFields: never;
        Insert: {
          "archived_at"?: string | null;
          "company_id"?: string | null;
          "created_at"?: string | null;
          "id"?: string | null;
          "name"?: string | null;
          "pipeline_id"?: string | null;
          "position"?: number | null;
          "updated_at"?: string | null;
          "version"?: never;
        };
        Update: {
          "archived_at"?: string | null;
          "company_id"?: string | null;
          "created_at"?: string | null;
          "id"?: string | null;
          "name"?: string | null;
          "pipeline_id"?: string | null;
          "position"?: number | null;
          "updated_at"?: string | null;
          "version"?: never;
        };
        Relationships: [
          {
            foreignKeyName: "stages_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "stages_pipeline_fkey";
            columns: ["company_id", "pipeline_id"];
            isOneToOne: false;
            referencedRelation: "own_pipelines";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "stages_pipeline_fkey";
            columns: ["company_id", "pipeline_id"];
            isOneToOne: false;
            referencedRelation: "own_plain_pipelines";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "stages_pipeline_fkey";
            columns: ["company_id", "pipeline_id"];
            isOneToOne: false;
            referencedRelation: "pipelines";
            referencedColumns: ["company_id", "id"];
          },
        ];
      };
      "own_plain_teams": {
        Row: {
          "company_id": string;
          "created_at": string;
          "id": string;
          "name": string;
          "updated_at": string;
          "version": string | null;
        };
        ComputedFields: never;
        Insert: {
          "company_id"?: string | null;
          "created_at"?: string | null;
          "id"?: string | null;
          "name"?: string | null;
          "updated_at"?: string | null;
          "version"?: never;
        };
        Update: {
          "company_id"?: string | null;
          "created_at"?: string | null;
          "id"?: string | null;
          "name"?: string | null;
          "updated_at"?: string | null;
          "version"?: never;
        };
        Relationships: [
          {
            foreignKeyName: "teams_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "own_plain_templates": {
        Row: {
          "business_account_id": string;
          "category": string | null;
          "company_id": string;
          "components": NonNullable<Json>;
          "created_at": string;
          "header_format": string | null;
          "id": string;
          "language": string;
          "media_problem": string | null;
          "name": string;
          "parameter_format": string;
          "phone_number_ids": (string)[];
          "quality": string | null;
          "read_at": string;
          "rejected_reason": string | null;
          "status": string;
          "status_since": string;
          "unsupported": (string)[];
          "upcoming_category": string | null;
          "updated_at": string;
          "variables": NonNullable<Json>;
        };
        ComputedFields: never;
        Insert: {
          "business_account_id"?: string | null;
          "category"?: string | null;
          "company_id"?: string | null;
          "components"?: Json | null;
          "created_at"?: string | null;
          "header_format"?: string | null;
          "id"?: string | null;
          "language"?: string | null;
          "media_problem"?: string | null;
          "name"?: string | null;
          "parameter_format"?: string | null;
          "phone_number_ids"?: (string)[] | null;
          "quality"?: string | null;
          "read_at"?: string | null;
          "rejected_reason"?: string | null;
          "status"?: string | null;
          "status_since"?: string | null;
          "unsupported"?: (string)[] | null;
          "upcoming_category"?: string | null;
          "updated_at"?: string | null;
          "variables"?: Json | null;
        };
        Update: {
          "business_account_id"?: string | null;
          "category"?: string | null;
          "company_id"?: string | null;
          "components"?: Json | null;
          "created_at"?: string | null;
          "header_format"?: string | null;
          "id"?: string | null;
          "language"?: string | null;
          "media_problem"?: string | null;
          "name"?: string | null;
          "parameter_format"?: string | null;
          "phone_number_ids"?: (string)[] | null;
          "quality"?: string | null;
          "read_at"?: string | null;
          "rejected_reason"?: string | null;
          "status"?: string | null;
          "status_since"?: string | null;
          "unsupported"?: (string)[] | null;
          "upcoming_category"?: string | null;
          "updated_at"?: string | null;
          "variables"?: Json | null;
        };
        Relationships: [
          {
            foreignKeyName: "templates_catalogue_fkey";
            columns: ["company_id", "business_account_id"];
            isOneToOne: false;
            referencedRelation: "template_catalogues";
            referencedColumns: ["company_id", "business_account_id"];
          },
          {
            foreignKeyName: "templates_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "own_searched_contacts": {
        Row: {
          "archived_at": string | null;
          "company_id": string;
          "created_at": string;
          "custom_fields": Json | null;
          "do_not_contact": boolean | null;
          "do_not_contact_at": string | null;
          "do_not_contact_source": string | null;
          "email": string | null;
          "email_words": string | null;
          "empresa": string | null;
          "empresa_words": string | null;
          "erased_at": string | null;
          "external_id": string | null;
          "id": string;
          "is_active": boolean | null;
          "job_title": string | null;
          "marketing_opt_out": boolean | null;
          "marketing_opt_out_at": string | null;
          "marketing_opt_out_source": string | null;
          "name": string | null;
          "name_words": string | null;
          "phone": string | null;
          "phone_words": string | null;
          "source": string | null;
          "tags": (string)[] | null;
          "temperature": string | null;
          "updated_at": string | null;
          "version": string | null;
        };
        ComputedFields: never;
        Relationships: [
          {
            foreignKeyName: "contacts_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "own_sends": {
        Row: {
          "api_key_id": string | null;
          "archived_phone_key": string | null;
          "attempt": number;
          "company_id": string;
          "contact_id": string;
          "conversation_id": string;
          "created_at": string;
          "delivered_at": string | null;
          "double_sent": boolean | null;
          "expired_at": string | null;
          "failed_at": string | null;
          "failure": Json | null;
          "has_ended": boolean | null;
          "idempotency_key": string | null;
          "is_not_sent": boolean | null;
          "is_unusual": boolean | null;
          "kind": string | null;
          "language_code": string | null;
          "lease_ends_at": string | null;
          "message_id": string;
          "phone_key": string | null;
          "read_at": string | null;
          "reason": string | null;
          "sent_at": string | null;
          "state": string | null;
          "status": string | null;
          "stored_state": string;
          "stored_status": string | null;
          "template_name": string | null;
          "whatsapp_message_id": string | null;
        };
        ComputedFields: never;
        Relationships: [
          {
            foreignKeyName: "sends_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "sends_message_fkey";
            columns: ["company_id", "message_id"];
            isOneToOne: true;
            referencedRelation: "messages";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "sends_message_fkey";
            columns: ["company_id", "message_id"];
            isOneToOne: true;
            referencedRelation: "own_messages";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "sends_message_fkey";
            columns: ["company_id", "message_id"];
            isOneToOne: true;
            referencedRelation: "own_original_contents";
            referencedColumns: ["company_id", "id"];
          },
        ];
      };
      "own_stages": {
        Row: {
          "archived_at": string | null;
          "company_id": string;
          "created_at": string;
          "id": string;
          "name": string;
          "name_sort": string | null;
          "name_words": string | null;
          "pipeline_id": string;
          "position": number;
          "updated_at": string;
          "version": string | null;
        };
        ComputedFields: never;
        Insert: {
          "archived_at"?: string | null;
          "company_id"?: string | null;
          "created_at"?: string | null;
          "id"?: string | null;
          "name"?: string | null;
          "name_sort"?: never;
          "name_words"?: never;
          "pipeline_id"?: string | null;
          "position"?: number | null;
          "updated_at"?: string | null;
          "version"?: never;
        };
        Update: {
          "archived_at"?: string | null;
          "company_id"?: string | null;
          "created_at"?: string | null;
          "id"?: string | null;
          "name"?: string | null;
          "name_sort"?: never;
          "name_words"?: never;
          "pipeline_id"?: string | null;
          "position"?: number | null;
          "updated_at"?: string | null;
          "version"?: never;
        };
        Relationships: [
          {
            foreignKeyName: "stages_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "stages_pipeline_fkey";
            columns: ["company_id", "pipeline_id"];
            isOneToOne: false;
            referencedRelation: "own_pipelines";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "stages_pipeline_fkey";
            columns: ["company_id", "pipeline_id"];
            isOneToOne: false;
            referencedRelation: "own_plain_pipelines";
            referencedColumns: ["company_id", "id"];
          },
          {
            foreignKeyName: "stages_pipeline_fkey";
            columns: ["company_id", "pipeline_id"];
            isOneToOne: false;
            referencedRelation: "pipelines";
            referencedColumns: ["company_id", "id"];
          },
        ];
      };
      "own_teams": {
        Row: {
          "company_id": string;
          "created_at": string;
          "id": string;
          "name": string;
          "name_sort": string | null;
          "name_words": string | null;
          "updated_at": string;
          "version": string | null;
        };
        ComputedFields: never;
        Insert: {
          "company_id"?: string | null;
          "created_at"?: string | null;
          "id"?: string | null;
          "name"?: string | null;
          "name_sort"?: never;
          "name_words"?: never;
          "updated_at"?: string | null;
          "version"?: never;
        };
        Update: {
          "company_id"?: string | null;
          "created_at"?: string | null;
          "id"?: string | null;
          "name"?: string | null;
          "name_sort"?: never;
          "name_words"?: never;
          "updated_at"?: string | null;
          "version"?: never;
        };
        Relationships: [
          {
            foreignKeyName: "teams_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
      "own_templates": {
        Row: {
          "business_account_id": string;
          "category": string | null;
          "channel_template_id": string | null;
          "company_id": string;
          "components": NonNullable<Json>;
          "created_at": string;
          "header_format": string | null;
          "id": string;
          "language": string;
          "media_problem": string | null;
          "name": string;
          "name_words": string | null;
          "parameter_format": string;
          "phone_number_ids": (string)[];
          "quality": string | null;
          "read_at": string;
          "rejected_reason": string | null;
          "status": string;
          "status_since": string;
          "ttl_seconds": number | null;
          "unsupported": (string)[];
          "upcoming_category": string | null;
          "updated_at": string;
          "variables": NonNullable<Json>;
        };
        ComputedFields: never;
        Insert: {
          "business_account_id"?: string | null;
          "category"?: string | null;
          "channel_template_id"?: string | null;
          "company_id"?: string | null;
          "components"?: Json | null;
          "created_at"?: string | null;
          "header_format"?: string | null;
          "id"?: string | null;
          "language"?: string | null;
          "media_problem"?: string | null;
          "name"?: string | null;
          "name_words"?: never;
          "parameter_format"?: string | null;
          "phone_number_ids"?: (string)[] | null;
          "quality"?: string | null;
          "read_at"?: string | null;
          "rejected_reason"?: string | null;
          "status"?: string | null;
          "status_since"?: string | null;
          "ttl_seconds"?: number | null;
          "unsupported"?: (string)[] | null;
          "upcoming_category"?: string | null;
          "updated_at"?: string | null;
          "variables"?: Json | null;
        };
        Update: {
          "business_account_id"?: string | null;
          "category"?: string | null;
          "channel_template_id"?: string | null;
          "company_id"?: string | null;
          "components"?: Json | null;
          "created_at"?: string | null;
          "header_format"?: string | null;
          "id"?: string | null;
          "language"?: string | null;
          "media_problem"?: string | null;
          "name"?: string | null;
          "name_words"?: never;
          "parameter_format"?: string | null;
          "phone_number_ids"?: (string)[] | null;
          "quality"?: string | null;
          "read_at"?: string | null;
          "rejected_reason"?: string | null;
          "status"?: string | null;
          "status_since"?: string | null;
          "ttl_seconds"?: number | null;
          "unsupported"?: (string)[] | null;
          "upcoming_category"?: string | null;
          "updated_at"?: string | null;
          "variables"?: Json | null;
        };
        Relationships: [
          {
            foreignKeyName: "templates_catalogue_fkey";
            columns: ["company_id", "business_account_id"];
            isOneToOne: false;
            referencedRelation: "template_catalogues";
            referencedColumns: ["company_id", "business_account_id"];
          },
          {
            foreignKeyName: "templates_company_id_fkey";
            columns: ["company_id"];
            isOneToOne: false;
            referencedRelation: "companies";
            referencedColumns: ["id"];
          },
        ];
      };
    };
    Functions: {
      "accept_invitation": { Args: { "invitation_id": string; "name"?: string }; Returns: string };
      "account_for_upload": { Args: { "phone_number_id"?: string }; Returns: Json };
      "add_company_member": {
        Args: { "company_id": string; "email": string; "name"?: string; "role"?: string };
        Returns: Database["public"]["CompositeTypes"]["company_member"];
        SetofOptions: {
          from: "*";
          to: "company_member";
          isOneToOne: true;
          isSetofReturn: false;
        };
      };
      "add_media_upload": { Args: { "account_id": string; "upload": Json }; Returns: Json };
      "add_pipeline": { Args: { "idempotency"?: Json; "pipeline": Json }; Returns: Json };
      "add_stage": { Args: { "idempotency"?: Json; "stage": Json }; Returns: Json };
      "answers_of_api_keys": {
        Args: { "company_id": string; "hours"?: number };
        Returns: {
          "key_id": string;
          "refused": number;
          "requests": number;
        }[];
      };
      "apply_channel_event": {
        Args: { "event_id": string; "items": Json; "problem"?: string };
        Returns: Json;
      };
      "apply_template_sync": {
        Args: {
          "account_id": string;
          "began_at": string;
          "business_account_id"?: string;
          "only_name"?: string;
          "templates": Json;
        };
        Returns: Json;
      };
      "archive_contact": {
        Args: { "accepted_versions"?: (number)[]; "id": string };
        Returns: boolean;
      };
      "archive_deal": {
        Args: { "accepted_versions"?: (number)[]; "id": string };
        Returns: boolean;
      };
      "archive_pipeline": { Args: { "pipeline_id": string; "version"?: number }; Returns: string };
      "archive_stage": {
        Args: { "move_deals_to"?: string; "stage_id": string; "version"?: number };
        Returns: string;
      };
      "authenticate": { Args: Record<PropertyKey, never>; Returns: string };
      "begin_channel_job": { Args: { "job": string }; Returns: boolean };
      "begin_job": { Args: { "account_id": string; "job": string }; Returns: Json };
      "begin_media_upload": {
        Args: {
          "account_id": string;
          "for_send"?: boolean;
          "lease_seconds"?: number;
          "template_id": string;
        };
        Returns: Json;
      };
      "begin_test_send": { Args: { "company_id": string; "id": string }; Returns: undefined };
      "change_company_member_role": {
        Args: { "company_id": string; "email": string; "role": string };
        Returns: Database["public"]["CompositeTypes"]["company_member"];
        SetofOptions: {
          from: "*";
          to: "company_member";
          isOneToOne: true;
          isSetofReturn: false;
        };
      };
      "change_member_role": {
        Args: { "company_id": string; "role": string; "user_id": string };
        Returns: undefined;
      };
      "change_pipeline": { Args: { "changes": Json; "pipeline_id": string }; Returns: Json };
      "change_stage": { Args: { "changes": Json; "stage_id": string }; Returns: Json };
      "change_webhook": { Args: { "changes": Json; "webhook_id": string }; Returns: Json };
      "changes_status": { Args: Record<PropertyKey, never>; Returns: Json };
      "channel_app": { Args: { "app_key": string }; Returns: Json };
      "channel_apps_status": { Args: Record<PropertyKey, never>; Returns: Json };
      "channel_health": { Args: Record<PropertyKey, never>; Returns: Json };
      "claim_invitation_mail": { Args: { "invitation_id": string }; Returns: string };
      "claim_reply": {
        Args: {
          "claim_id": string;
          "content": string;
          "conversation_id": string;
          "dry_run"?: boolean;
          "idempotency_key"?: string;
          "interactive"?: Json;
          "media"?: Json;
          "reply_to_id"?: string;
        };
        Returns: Json;
      };
      "claim_template_send": {
        Args: {
          "body_variables"?: (string)[];
          "button_variables"?: (string)[];
          "claim_id": string;
          "contact_name"?: string;
          "content": string;
          "dry_run"?: boolean;
          "header_media"?: Json;
          "header_variables"?: (string)[];
          "idempotency_key"?: string;
          "language_code": string;
          "message_type": string;
          "of_company_id"?: string;
          "phone": string;
          "phone_number_id"?: string;
          "preflight"?: string;
          "template_name": string;
        };
        Returns: Json;
      };
      "claim_test_send": {
        Args: {
          "body_variables": (string)[];
          "button_variables": (string)[];
          "claim_id": string;
          "company_id": string;
          "header_variables": (string)[];
          "language_code": string;
          "phone": string;
          "phone_number_id": string;
          "preflight": string;
          "template_name": string;
          "test_send_id": string;
        };
        Returns: Json;
      };
      "company_people": {
        Args: { "company_id": string };
        Returns: {
          "created_at": string;
          "email": string;
          "has_second_factor": boolean;
          "name": string;
          "role": string;
          "user_id": string;
        }[];
      };
      "connect_messaging_account": {
        Args: {
          "business_account_id"?: string;
          "channel_app_id"?: string;
          "company_id": string;
          "display_phone": string;
          "encrypted_token": string;
          "phone_number_id": string;
          "quality_rating"?: string;
          "token_expires_at"?: string;
        };
        Returns: Json;
      };
      "contact_changes": {
        Args: {
          "after_id"?: string;
          "after_version"?: number;
          "generation"?: number;
          "max_rows"?: number;
        };
        Returns: Json[];
      };
      "contact_id_by_external_id": { Args: { "external_id": string }; Returns: string };
      "contact_id_by_phone": { Args: { "phone": string }; Returns: string };
      "contacts_of_further_phones": {
        Args: { "phone_keys": (string)[]; "with_archived"?: boolean };
        Returns: (string)[];
      };
      "conversation_changes": {
        Args: {
          "after_id"?: string;
          "after_version"?: number;
          "generation"?: number;
          "max_rows"?: number;
        };
        Returns: Json[];
      };
      "create_api_key": {
        Args: {
          "company_id"?: string;
          "expires_at"?: string;
          "name": string;
          "scopes": (string)[];
        };
        Returns: Database["public"]["CompositeTypes"]["new_api_key"];
        SetofOptions: {
          from: "*";
          to: "new_api_key";
          isOneToOne: true;
          isSetofReturn: false;
        };
      };
      "create_channel_app": {
        Args: {
          "app_key": string;
          "company_id": string;
          "name": string;
          "sealed_secret": string;
          "sealed_verify_token": string;
        };
        Returns: Json;
      };
      "create_webhook": {
        Args: {
          "company_id"?: string;
          "description": string;
          "idempotency"?: Json;
          "payload": string;
          "sealed_secret": string;
          "types": (string)[];
          "url": string;
          "webhook_id": string;
        };
        Returns: Json;
      };
      "current_account_notices": { Args: { "company_id"?: string }; Returns: Json };
      "deal_changes": {
        Args: {
          "after_id"?: string;
          "after_version"?: number;
          "generation"?: number;
          "max_rows"?: number;
        };
        Returns: Json[];
      };
      "deal_id_by_external_id": { Args: { "external_id": string }; Returns: string };
      "decline_invitation": { Args: { "invitation_id": string }; Returns: undefined };
      "delete_channel_app": { Args: { "app_key": string; "forced"?: boolean }; Returns: Json };
      "delete_webhook": { Args: { "webhook_id": string }; Returns: undefined };
      "disconnect_messaging_account": {
        Args: { "account_id": string };
        Returns: Database["public"]["CompositeTypes"]["disconnected_messaging_account"];
        SetofOptions: {
          from: "*";
          to: "disconnected_messaging_account";
          isOneToOne: true;
          isSetofReturn: false;
        };
      };
      "due_channel_events": {
        Args: { "max_rows"?: number; "without_apps"?: (string)[] };
        Returns: {
          "app_id": string;
          "body": string;
          "event_id": string;
        }[];
      };
      "due_jobs": {
        Args: Record<PropertyKey, never>;
        Returns: {
          "account_id": string;
          "job": string;
        }[];
      };
      "due_media": { Args: { "account_id": string; "max_rows"?: number }; Returns: Json };
      "end_channel_job": {
        Args: { "failure"?: string; "job": string; "result"?: Json };
        Returns: undefined;
      };
      "end_job": {
        Args: { "failure"?: string; "refusal"?: string; "result"?: Json; "run_id": string };
        Returns: undefined;
      };
      "end_session": { Args: { "session_id": string }; Returns: undefined };
      "erase_contact": { Args: { "id": string; "idempotency"?: Json }; Returns: Json };
      "expire_messages": { Args: Record<PropertyKey, never>; Returns: number };
      "fail_channel_event": { Args: { "event_id": string; "failure": string }; Returns: undefined };
      "fail_delivery_run": { Args: { "failure": string }; Returns: undefined };
      "fail_expired_sends": { Args: Record<PropertyKey, never>; Returns: number };
      "fail_media_upload": {
        Args: {
          "encrypted_token"?: string;
          "for_send"?: boolean;
          "is_permanent"?: boolean;
          "reason": string;
          "refusal"?: string;
          "upload_id": string;
        };
        Returns: boolean;
      };
      "find_event": { Args: { "name": string }; Returns: Json };
      "finish_channel_app_rotation": { Args: { "app_key": string }; Returns: boolean };
      "finish_media_upload": {
        Args: { "filename"?: string; "media_id": string; "upload_id": string };
        Returns: boolean;
      };
      "get_company_send": { Args: { "company_id": string; "message_id": string }; Returns: Json };
      "get_webhook": { Args: { "webhook_id": string }; Returns: Json };
      "health": { Args: Record<PropertyKey, never>; Returns: boolean };
      "import_contacts": {
        Args: {
          "company_id": string;
          "dry_run"?: boolean;
          "items": (Json)[];
          "on_conflict": string;
        };
        Returns: Json;
      };
      "invite_member": {
        Args: { "company_id": string; "email": string; "role": string };
        Returns: {
          "company_id": string;
          "created_at": string;
          "email": string;
          "expires_at": string;
          "id": string;
          "invited_by": string;
          "mail_failed": boolean;
          "mailed_at": string | null;
          "role": string;
        };
        SetofOptions: {
          from: "*";
          to: "company_invitations";
          isOneToOne: true;
          isSetofReturn: false;
        };
      };
      "jobs_status": { Args: Record<PropertyKey, never>; Returns: Json };
      "lift_opt_out": {
        Args: { "asked_at": string; "contact_id": string; "kind": string; "reason": string };
        Returns: string;
      };
      "list_company_members": {
        Args: { "company_id": string };
        Returns: Database["public"]["CompositeTypes"]["company_member"][];
        SetofOptions: {
          from: "*";
          to: "company_member";
          isOneToOne: false;
          isSetofReturn: true;
        };
      };
      "list_company_sends": {
        Args: {
          "after"?: Json;
          "company_id": string;
          "outcome"?: string;
          "reason"?: string;
          "search"?: string;
          "since"?: string;
          "until"?: string;
        };
        Returns: Json;
      };
      "list_events": {
        Args: {
          "after_id"?: string;
          "after_version"?: number;
          "generation"?: number;
          "max_rows"?: number;
          "of_record"?: string;
          "of_types"?: (string)[];
          "since"?: string;
          "until"?: string;
        };
        Returns: Json[];
      };
      "list_webhooks": { Args: { "company_id"?: string }; Returns: Json };
      "managing_person": { Args: { "company_id": string }; Returns: Json };
      "media_of_message": { Args: { "message_id": string }; Returns: Json };
      "media_upload": { Args: { "id": string }; Returns: Json };
      "member_ids_by_email": { Args: { "email": string }; Returns: (string)[] };
      "merge_contact": {
        Args: {
          "accepted_versions"?: (number)[];
          "from_id": string;
          "id": string;
          "idempotency"?: Json;
          "must_exist"?: boolean;
        };
        Returns: Json;
      };
      "message_changes": {
        Args: {
          "after_id"?: string;
          "after_version"?: number;
          "generation"?: number;
          "max_rows"?: number;
        };
        Returns: Json[];
      };
      "message_to_react": { Args: { "emoji"?: string; "message_id": string }; Returns: Json };
      "message_to_read": { Args: { "message_id": string }; Returns: Json };
      "messaging_account_troubles": {
        Args: { "company_id": string };
        Returns: {
          "account_id": string;
          "display_phone": string;
          "event": string;
          "since": string;
          "stopped_sends": number;
          "trouble": string;
          "until": string;
        }[];
      };
      "messaging_accounts_overview": {
        Args: { "company_id": string };
        Returns: {
          "approved_templates": number;
          "business_account_id": string;
          "checked_at": string;
          "connected_at": string;
          "disconnected_at": string;
          "display_phone": string;
          "has_channel_app": boolean;
          "id": string;
          "jobs_ran_at": string;
          "last_event_at": string;
          "messaging_limit": string;
          "notices": Json;
          "phone_number_id": string;
          "quality_rating": string;
          "template_sync_failures": number;
          "templates_synced_at": string;
          "token_expires_at": string;
          "token_stored_at": string;
        }[];
      };
      "next_deliveries": { Args: { "held": Json; "run": string; "wanted": Json }; Returns: Json };
      "note_account_refusal": {
        Args: { "account_id": string; "code"?: number; "stops_send"?: boolean };
        Returns: undefined;
      };
      "note_invitation_mail_failed": { Args: { "invitation_id": string }; Returns: undefined };
      "note_media_gone": { Args: { "media_id": string; "message_id": string }; Returns: string };
      "note_message_read": { Args: { "message_id": string }; Returns: string };
      "note_numbers": { Args: { "account_id": string; "numbers": Json }; Returns: number };
      "note_own_reaction": {
        Args: { "emoji"?: string; "message_id": string; "whatsapp_message_id": string };
        Returns: Json;
      };
      "opt_outs": {
        Args: {
          "company_id": string;
          "max_rows"?: number;
          "of_kind"?: string;
          "older_than"?: string;
          "older_than_id"?: string;
          "older_than_kind"?: string;
          "search"?: string;
        };
        Returns: {
          "asked_at": string;
          "contact_id": string;
          "conversation_id": string;
          "is_button": boolean;
          "kind": string;
          "name": string;
          "phone": string;
          "source": string;
          "words": string;
        }[];
      };
      "other_conversation_not_closed": { Args: { "conversation_id": string }; Returns: string };
      "own_invitations": {
        Args: Record<PropertyKey, never>;
        Returns: {
          "company_name": string;
          "expires_at": string;
          "id": string;
          "invited_by_name": string;
          "role": string;
        }[];
      };
      "own_key": {
        Args: Record<PropertyKey, never>;
        Returns: {
          "company_id": string;
          "company_name": string;
          "expires_at": string;
          "id": string;
          "name": string;
          "scopes": (string)[];
        }[];
      };
      "own_sessions": {
        Args: Record<PropertyKey, never>;
        Returns: {
          "client_address": unknown;
          "created_at": string;
          "has_second_factor": boolean;
          "id": string;
          "is_current": boolean;
          "last_used_at": string;
          "user_agent": string;
        }[];
      };
      "patch_contacts": { Args: { "atomic"?: boolean; "items": (Json)[] }; Returns: Json };
      "patch_deals": { Args: { "atomic"?: boolean; "items": (Json)[] }; Returns: Json };
      "receive_channel_event": {
        Args: { "app_key": string; "body": string; "items": Json; "problem"?: string };
        Returns: Json;
      };
      "record_api_key_usage": { Args: { "errors"?: Json; "usage": Json }; Returns: undefined };
      "record_to_change": { Args: { "id": string; "of_table": string }; Returns: Json };
      "redeliver_event": {
        Args: { "event_id": string; "idempotency"?: Json; "webhook_id": string };
        Returns: Json;
      };
      "release_webhooks": { Args: { "ids"?: (string)[]; "run": string }; Returns: undefined };
      "remove_company_member": {
        Args: { "company_id": string; "email": string };
        Returns: Database["public"]["CompositeTypes"]["company_member"];
        SetofOptions: {
          from: "*";
          to: "company_member";
          isOneToOne: true;
          isSetofReturn: false;
        };
      };
      "remove_member": { Args: { "company_id": string; "user_id": string }; Returns: undefined };
      "remove_old_channel_rows": { Args: { "max_rows"?: number }; Returns: Json };
      "remove_second_factors": { Args: { "email": string }; Returns: number };
      "renew_invitation": {
        Args: { "invitation_id": string };
        Returns: {
          "company_id": string;
          "created_at": string;
          "email": string;
          "expires_at": string;
          "id": string;
          "invited_by": string;
          "mail_failed": boolean;
          "mailed_at": string | null;
          "role": string;
        };
        SetofOptions: {
          from: "*";
          to: "company_invitations";
          isOneToOne: true;
          isSetofReturn: false;
        };
      };
      "replay_channel_events": {
        Args: {
          "app_key"?: string;
          "began_at"?: string;
          "event_id"?: string;
          "since"?: string;
          "states"?: (string)[];
        };
        Returns: Json;
      };
      "replay_webhook": {
        Args: {
          "idempotency"?: Json;
          "since": string;
          "types"?: (string)[];
          "until"?: string;
          "webhook_id": string;
        };
        Returns: Json;
      };
      "requests_by_status": {
        Args: { "company_id": string; "days"?: number; "key_id": string; "zone"?: string };
        Returns: {
          "day": string;
          "requests": number;
          "status": number;
        }[];
      };
      "require_second_factor": {
        Args: { "company_id": string; "required": boolean };
        Returns: undefined;
      };
      "reseal_account_token": {
        Args: { "account_id": string; "sealed": string; "sealed_before": string };
        Returns: boolean;
      };
      "reseal_app_secret": {
        Args: { "app_key": string; "kind": string; "sealed": string; "sealed_before": string };
        Returns: boolean;
      };
      "reseal_webhook_secret": {
        Args: { "sealed": string; "sealed_before": string; "webhook_id": string };
        Returns: boolean;
      };
      "restart_changes": { Args: Record<PropertyKey, never>; Returns: Json };
      "restore_contact": { Args: { "id": string; "idempotency"?: Json }; Returns: Json };
      "restore_deal": { Args: { "id": string; "idempotency"?: Json }; Returns: Json };
      "return_channel_events": { Args: { "event_ids": (string)[] }; Returns: undefined };
      "rotate_api_key": {
        Args: { "key_id": string; "overlap_hours"?: number };
        Returns: Database["public"]["CompositeTypes"]["new_api_key"];
        SetofOptions: {
          from: "*";
          to: "new_api_key";
          isOneToOne: true;
          isSetofReturn: false;
        };
      };
      "rotate_channel_app": {
        Args: { "app_key": string; "sealed_secret": string };
        Returns: string;
      };
      "rotate_webhook_secret": {
        Args: {
          "idempotency"?: Json;
          "overlap_hours"?: number;
          "sealed_secret": string;
          "webhook_id": string;
        };
        Returns: Json;
      };
      "schedule_jobs": {
        Args: { "secret": string; "url": string; "webhooks_url": string };
        Returns: undefined;
      };
      "sealed_account_tokens": {
        Args: { "after_id"?: string; "max_rows"?: number };
        Returns: {
          "company_id": string;
          "encrypted_token": string;
          "id": string;
          "phone_number_id": string;
        }[];
      };
      "sealed_app_secrets": {
        Args: { "after_key"?: string; "after_kind"?: string; "max_rows"?: number };
        Returns: {
          "app_key": string;
          "kind": string;
          "sealed": string;
        }[];
      };
      "sealed_webhook_secrets": {
        Args: { "after_ends_at"?: string; "after_id"?: string; "max_rows"?: number };
        Returns: {
          "company_id": string;
          "ends_at": string;
          "kind": string;
          "sealed": string;
          "webhook_id": string;
        }[];
      };
      "search_records": {
        Args: {
          "archived"?: string;
          "email"?: string;
          "max_rows": number;
          "patterns": (string)[];
          "phone_keys"?: (string)[];
          "phone_parts"?: (string)[];
          "phone_patterns"?: (string)[];
          "text": string;
        };
        Returns: Json[];
      };
      "sends_by_outcome": {
        Args: { "company_id": string; "days"?: number; "most"?: number; "zone"?: string };
        Returns: {
          "day": string;
          "outcome": string;
          "reason": string;
          "sends": number;
        }[];
      };
      "set_api_key_expiry": {
        Args: { "expires_at": string; "key_id": string };
        Returns: undefined;
      };
      "settle_deliveries": { Args: { "outcomes": Json; "run": string }; Returns: Json };
      "settle_send": {
        Args: {
          "channel_code"?: number;
          "channel_details"?: string;
          "channel_message"?: string;
          "claim_id": string;
          "outcome": string;
          "reason"?: string;
          "was_refused"?: boolean;
          "whatsapp_message_id"?: string;
        };
        Returns: string;
      };
      "store_channel_event": { Args: { "app_key": string; "body": string }; Returns: Json };
      "survivor_of_contact": { Args: { "id": string }; Returns: string };
      "take_webhooks": {
        Args: { "most": number; "of_company"?: string; "run": string };
        Returns: Json;
      };
      "tend_channel": { Args: { "max_rows"?: number }; Returns: Json };
      "test_webhook": { Args: { "idempotency"?: Json; "webhook_id": string }; Returns: Json };
      "tidy_events": { Args: Record<PropertyKey, never>; Returns: Json };
      "unschedule_jobs": { Args: Record<PropertyKey, never>; Returns: number };
      "webhook_deliveries": {
        Args: {
          "after_ended"?: string;
          "after_event"?: string;
          "max_rows"?: number;
          "state"?: string;
          "type"?: string;
          "webhook_id": string;
        };
        Returns: Json;
      };
      "webhook_troubles": {
        Args: { "company_id": string };
        Returns: {
          "address": string;
          "since": string;
          "trouble": string;
          "webhook_id": string;
        }[];
      };
      "webhooks_overview": { Args: { "company_id"?: string; "max_rows"?: number }; Returns: Json };
      "withdraw_invitation": { Args: { "invitation_id": string }; Returns: undefined };
      "write_contacts": {
        Args: {
          "accepted_versions"?: (number)[];
          "atomic"?: boolean;
          "idempotency"?: Json;
          "items": (Json)[];
          "match"?: string;
          "must_exist"?: boolean;
          "on_conflict"?: string;
        };
        Returns: Json;
      };
      "write_deals": {
        Args: {
          "atomic"?: boolean;
          "idempotency"?: Json;
          "items": (Json)[];
          "on_conflict"?: string;
        };
        Returns: Json;
      };
    };
    Enums: {
      [_ in never]: never;
    };
    CompositeTypes: {
      "company_member": {
        "company_id": string | null;
        "user_id": string | null;
        "email": string | null;
        "name": string | null;
        "role": string | null;
        "created_at": string | null;
      };
      "disconnected_messaging_account": {
        "id": string | null;
        "disconnected_at": string | null;
        "was_connected": boolean | null;
      };
      "new_api_key": {
        "id": string | null;
        "company_id": string | null;
        "name": string | null;
        "api_key": string | null;
        "scopes": (string)[] | null;
        "expires_at": string | null;
        "created_at": string | null;
      };
    };
  };
};

type DatabaseWithoutInternals = Omit<Database, "__InternalSupabase">;

type DefaultSchema = DatabaseWithoutInternals[Extract<keyof Database, "public">];

export type Tables<
  DefaultSchemaTableNameOrOptions extends
    | keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  } ? keyof (
      & DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
      & DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"]
    )
    : never = never,
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals } ? (
    & DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    & DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"]
  )[TableName] extends {
    Row: infer R;
  } ? R
  : never
  : DefaultSchemaTableNameOrOptions extends keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
    ? (DefaultSchema["Tables"] & DefaultSchema["Views"])[DefaultSchemaTableNameOrOptions] extends {
      Row: infer R;
    } ? R
    : never
  : never;

export type TablesInsert<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  } ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never,
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends
    {
      Insert: infer I;
    } ? I
  : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
    ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
      Insert: infer I;
    } ? I
    : never
  : never;

export type TablesUpdate<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  } ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never,
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends
    {
      Update: infer U;
    } ? U
  : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
    ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
      Update: infer U;
    } ? U
    : never
  : never;

export type Enums<
  DefaultSchemaEnumNameOrOptions extends
    | keyof DefaultSchema["Enums"]
    | { schema: keyof DatabaseWithoutInternals },
  EnumName extends DefaultSchemaEnumNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  } ? keyof DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"]
    : never = never,
> = DefaultSchemaEnumNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"][EnumName]
  : DefaultSchemaEnumNameOrOptions extends keyof DefaultSchema["Enums"]
    ? DefaultSchema["Enums"][DefaultSchemaEnumNameOrOptions]
  : never;

export type CompositeTypes<
  PublicCompositeTypeNameOrOptions extends
    | keyof DefaultSchema["CompositeTypes"]
    | { schema: keyof DatabaseWithoutInternals },
  CompositeTypeName extends PublicCompositeTypeNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  } ? keyof DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"]
    : never = never,
> = PublicCompositeTypeNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"][
    CompositeTypeName
  ]
  : PublicCompositeTypeNameOrOptions extends keyof DefaultSchema["CompositeTypes"]
    ? DefaultSchema["CompositeTypes"][PublicCompositeTypeNameOrOptions]
  : never;

export const Constants = {
  "public": {
    Enums: {},
  },
} as const;
