//! The document `openapi.json`, generated from the router's handlers (H8). A handler describes what is special about
//! it; what all calls have in common is added here.

use axum::Extension;
use axum::body::Bytes;
use axum::http::header;
use axum::response::IntoResponse;
use heliograph_shared::api::{ErrorBody, FieldErrors};
use serde::Serialize;
use utoipa::openapi::path::{HttpMethod, Operation, PathItem};
use utoipa::openapi::schema::Ref;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use utoipa::openapi::{self, ContentBuilder, RefOr, ResponseBuilder};
use utoipa::{OpenApi as _, ToSchema};

/// The document in JSON.
#[derive(Clone, Debug)]
pub struct Document(Bytes);

impl Document {
    /// Serializes the description of these calls.
    pub fn of(mut calls: openapi::OpenApi) -> Self {
        complete(&mut calls);
        // Cannot fail: it consists of strings and maps. The fallback is an empty document.
        Self(calls.to_json().unwrap_or_default().into())
    }
}

/// Returns this document (H8).
#[utoipa::path(get, path = "/api/openapi.json", responses((status = 200, body = Object)))]
pub async fn describe(Extension(Document(text)): Extension<Document>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], text)
}

/// The document without calls.
pub fn common() -> openapi::OpenApi {
    #[derive(utoipa::OpenApi)]
    #[openapi(
        info(title = "Heliograph", description = "Moves text, links and files between devices."),
        components(schemas(ErrorBody, FieldErrors, Refusal))
    )]
    struct Common;
    Common::openapi()
}

/// Why a body was refused: by field, or in one sentence.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "a description")]
enum Refusal {
    /// By field.
    Form(FieldErrors),
    /// In one sentence.
    Whole(ErrorBody),
}

/// Adds what all calls have in common.
fn complete(document: &mut openapi::OpenApi) {
    let cookie = ApiKey::Cookie(ApiKeyValue::new("access"));
    let components = document.components.get_or_insert_default();
    components.add_security_scheme("login", SecurityScheme::ApiKey(cookie));
    for (path, item) in &mut document.paths.paths {
        for (method, operation) in operations(item) {
            name(path, &method, operation);
            add_answers(&method, operation);
        }
    }
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = (HttpMethod, &mut Operation)> {
    let PathItem { get, put, post, patch, delete, head, options, .. } = item;
    let all = [
        (HttpMethod::Get, get),
        (HttpMethod::Patch, patch),
        (HttpMethod::Head, head),
        (HttpMethod::Options, options),
        (HttpMethod::Put, put),
        (HttpMethod::Post, post),
        (HttpMethod::Delete, delete),
    ];
    all.into_iter().filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

/// Names a call by its method and path, because handlers of different modules share names. Also gives every response a
/// description.
fn name(path: &str, method: &HttpMethod, operation: &mut Operation) {
    let is_part = |part: &&str| !part.is_empty() && *part != "api";
    let parts: Vec<_> = path.split(['/', '{', '}', '.']).filter(is_part).collect();
    let verb = match method {
        HttpMethod::Get => "get",
        HttpMethod::Put => "put",
        HttpMethod::Patch => "patch",
        HttpMethod::Head => "head",
        HttpMethod::Options => "options",
        HttpMethod::Delete => "delete",
        _ => "post",
    };
    operation.tags = parts.first().map(|group| vec![(*group).to_owned()]);
    operation.operation_id = Some(format!("{verb}_{}", parts.join("_")));
    for response in operation.responses.responses.values_mut() {
        if let RefOr::T(response) = response
            && response.description.is_empty()
        {
            "Success.".clone_into(&mut response.description);
        }
    }
}

/// Adds the refusals that follow from the kind of call.
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
    let (body, has_parameters) = (&operation.request_body, operation.parameters.is_some());
    if let Some(body) = body {
        refuse("400", "Refusal", "The body is malformed or invalid.");
        refuse("408", "ErrorBody", "Less than 30 KiB came within half a minute.");
        if matches!(body, RefOr::T(body) if body.content.contains_key("multipart/form-data")) {
            refuse("502", "ErrorBody", "The store of files and pictures fails.");
            refuse("507", "ErrorBody", "The store has no room for the picture.");
        }
    } else if has_parameters {
        refuse("400", "ErrorBody", "A parameter is malformed.");
    }
    if operation.security.is_some() {
        refuse("401", "ErrorBody", "The call needs a login.");
    }
    if !matches!(method, HttpMethod::Get) {
        refuse("403", "ErrorBody", "The request comes from another site, or is not allowed.");
        refuse("413", "ErrorBody", "The body is too large.");
    }
    refuse("503", "ErrorBody", "The server has no capacity now.");
}
