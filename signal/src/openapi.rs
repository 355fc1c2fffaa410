//! The description of every call, made from the handlers (H8). A call says what is its own; what they all have in
//! common is added here.

use std::sync::LazyLock;

use axum::http::header;
use axum::response::IntoResponse;
use heliograph_shared::api::{ErrorBody, FieldErrors};
use serde::Serialize;
use utoipa::openapi::path::{HttpMethod, Operation, PathItem};
use utoipa::openapi::schema::Ref;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use utoipa::openapi::{self, ContentBuilder, RefOr, ResponseBuilder};
use utoipa::{Modify, OpenApi, ToSchema};

use crate::routes::{
    accounts, beams, export, health, notes, pictures, registration, shares, site, uploads,
};

static DOCUMENT: LazyLock<String> = LazyLock::new(|| {
    // Cannot fail: it is built of strings and maps. An empty document is the answer if it did.
    Document::openapi().to_json().unwrap_or_default()
});

/// The document (H8).
pub async fn describe() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], DOCUMENT.as_str())
}

#[derive(OpenApi)]
#[openapi(
    info(title = "Heliograph", description = "Moves text, links and files between devices."),
    paths(
        accounts::me,
        accounts::log_in,
        accounts::log_out,
        accounts::refresh,
        accounts::change_profile,
        accounts::change_picture,
        accounts::delete,
        registration::register,
        export::export,
        beams::create,
        beams::list,
        beams::describe,
        beams::change,
        beams::renew,
        beams::delete,
        shares::with_me,
        shares::mine,
        shares::create,
        shares::change,
        shares::delete,
        notes::list,
        uploads::create,
        uploads::read,
        uploads::delete,
        pictures::read,
        site::describe,
        health::check,
        describe_document,
    ),
    components(schemas(ErrorBody, FieldErrors, Refusal)),
    modifiers(&InCommon)
)]
struct Document;

/// This document.
#[utoipa::path(get, path = "/api/openapi.json", responses((status = 200, body = Object)))]
#[expect(dead_code, reason = "says what `describe` answers")]
fn describe_document() {}

/// Why a body was not taken: what is wrong by field, or in one sentence.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "a description")]
enum Refusal {
    /// By field.
    Form(FieldErrors),
    /// In one sentence.
    Whole(ErrorBody),
}

/// What calls have in common.
struct InCommon;

impl Modify for InCommon {
    fn modify(&self, document: &mut openapi::OpenApi) {
        let cookie = ApiKey::Cookie(ApiKeyValue::new("access"));
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("login", SecurityScheme::ApiKey(cookie));
        for item in document.paths.paths.values_mut() {
            for (method, operation) in operations(item) {
                name(operation);
                add_answers(&method, operation);
            }
        }
    }
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = (HttpMethod, &mut Operation)> {
    let PathItem { get, put, post, delete, .. } = item;
    let all = [
        (HttpMethod::Get, get),
        (HttpMethod::Put, put),
        (HttpMethod::Post, post),
        (HttpMethod::Delete, delete),
    ];
    all.into_iter().filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

/// Handlers of different modules have the same name; calls must not. And every answer must be described.
fn name(operation: &mut Operation) {
    let module = operation.tags.iter().flatten().next().cloned().unwrap_or_default();
    operation.operation_id = operation.operation_id.take().map(|id| format!("{module}_{id}"));
    for response in operation.responses.responses.values_mut() {
        if let RefOr::T(response) = response
            && response.description.is_empty()
        {
            "As it was asked for.".clone_into(&mut response.description);
        }
    }
}

/// The refusals that a call has because of what it is.
fn add_answers(method: &HttpMethod, operation: &mut Operation) {
    let mut refuse = |status: &str, schema: &str, description: &str| {
        let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(schema))).build();
        let response = ResponseBuilder::new()
            .description(description)
            .content("application/json", content)
            .build();
        let responses = &mut operation.responses.responses;
        responses.entry(status.to_owned()).or_insert(RefOr::T(response));
    };
    let (has_body, has_parameters) =
        (operation.request_body.is_some(), operation.parameters.is_some());
    if has_body {
        refuse("400", "Refusal", "The body is not what this call takes.");
    } else if has_parameters {
        refuse("400", "ErrorBody", "A parameter is not what this call takes.");
    }
    if operation.security.is_some() {
        refuse("401", "ErrorBody", "Nobody is logged in.");
    }
    if !matches!(method, HttpMethod::Get) {
        refuse("403", "ErrorBody", "It comes from another site, or is not allowed.");
        refuse("413", "ErrorBody", "The body is too large.");
    }
    refuse("503", "ErrorBody", "The server cannot do it now.");
}
